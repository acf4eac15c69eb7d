// The client suite's proxy, for this suite as well: each suite is an executable of its own.
#include "tests/unit/client/socks_proxy.cpp"

#include "tests/unit/client/network_calls.cpp"
