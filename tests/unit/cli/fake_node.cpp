// The client suite's node, for this suite as well: each suite is an executable of its own.
#include "tests/unit/client/fake_node.cpp"
