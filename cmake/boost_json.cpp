// Boost.JSON, compiled once for the whole project: only its headers are a dependency.
#include <boost/json/src.hpp>
