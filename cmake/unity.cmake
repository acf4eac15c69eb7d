# The presets compile a room or a suite as one unit (CMAKE_UNITY_BUILD): five times less time from
# nothing, since most of a file's time goes to the same headers. Files whose anonymous names meet
# those of a neighbour stay out of it here. Included by each folder that defines targets, because
# properties of source files are the folder's own.
set_source_files_properties(
  ${PROJECT_SOURCE_DIR}/cli/create.cpp
  ${PROJECT_SOURCE_DIR}/cli/status.cpp
  ${PROJECT_SOURCE_DIR}/cli/sync.cpp
  ${PROJECT_SOURCE_DIR}/p2p/asio/listener.cpp
  ${PROJECT_SOURCE_DIR}/p2p/asio/session.cpp
  ${PROJECT_SOURCE_DIR}/tests/unit/chain/uint256_test.cpp
  ${PROJECT_SOURCE_DIR}/tests/unit/regtest/faults.cpp
  ${PROJECT_SOURCE_DIR}/tests/unit/regtest/sim_node.cpp
  ${PROJECT_SOURCE_DIR}/tests/unit/store/wallet_db_test.cpp
  ${PROJECT_SOURCE_DIR}/tests/unit/wallet/descriptor_refusal_test.cpp
  ${PROJECT_SOURCE_DIR}/tests/unit/wallet/watch_item_test.cpp
  ${PROJECT_SOURCE_DIR}/wallet/descriptor_checksum.cpp
  ${PROJECT_SOURCE_DIR}/wallet/store/schema.cpp
  ${PROJECT_SOURCE_DIR}/wallet/store/wallet_db.cpp
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
