// Any log of header records: what a scan lets stand is one linked chain from genesis with true
// sums of work, and reading that part again gives the same without a word of damage.
#include "wallet/store/header_scan.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/support/mining.hpp"
#include "wallet/store/crc32.hpp"

#include <algorithm>
#include <sys/mman.h>

using namespace headlight;
using namespace headlight::wallet::store;
using tests::require;

namespace {

const chain::Network& regtest() { return chain::network(chain::NetworkId::regtest); }

constexpr std::uint32_t most_records = 400;
constexpr std::uint32_t branches = 4;
constexpr std::uint32_t branch_length = 24;

using Branch = std::vector<chain::ChainedHeader>;

/// From genesis on; branch n leaves the first one above height 5 n.
std::vector<Branch> mine_branches() {
    std::vector<Branch> all;
    for (std::uint32_t n = 0; n < branches; ++n) {
        Branch branch;
        if (n == 0) {
            branch.push_back({regtest().genesis, regtest().genesis_hash, 0,
                              chain::work_of(regtest().genesis.bits)});
        } else {
            branch.assign(all[0].begin(), all[0].begin() + 5 * n + 1);
        }
        while (branch.size() < branch_length) {
            const auto& parent = branch.back();
            const auto header = tests::mine(regtest(), parent.hash, parent.header.time + 60,
                                            regtest().genesis.bits, n);
            branch.push_back({header, chain::hash_of(header), parent.height + 1,
                              parent.work + chain::work_of(header.bits)});
        }
        all.push_back(std::move(branch));
    }
    return all;
}

/// A file in memory that is mapped once.
class File {
  public:
    File() : file_(::memfd_create("header_scan", 0)) {
        require(real_file_system().truncate(file_.get(), 1U << 20U) == 0);
        require(mapped_.cover(file_, 1U << 20U) == 0);
    }
    const MappedFile& hold(const Bytes& records) {
        require(real_file_system().write(file_.get(), records, preamble_bytes) == 0);
        return mapped_;
    }

  private:
    FileDescriptor file_;
    MappedFile mapped_;
};

void sum_up(Bytes& log, std::size_t start) {
    const auto sum = crc32(ByteView(log).subspan(start, record_bytes - 4));
    for (std::size_t i = 0; i < 4; ++i)
        log[start + record_bytes - 4 + i] = static_cast<std::uint8_t>(sum >> (8 * i));
}

/// One step of a story of honest records and broken ones.
void write_more(tests::Input& input, const std::vector<Branch>& all, Bytes& log) {
    const auto& branch = all[input.choose(branches)];
    const auto records = static_cast<std::uint32_t>(log.size() / record_bytes);
    switch (input.choose(8)) {
    case 0: // a byte of any record, and perhaps its sum put right
        if (records == 0) return;
        {
            const auto start = record_bytes * input.choose(records);
            log[start + input.choose(record_bytes)] ^= input.byte();
            if (input.choose(2) == 0) sum_up(log, start);
        }
        return;
    case 1:
        if (records > 0) log.resize(record_bytes * input.choose(records));
        return;
    case 2: {
        const auto bytes = input.bytes(record_bytes);
        log.insert(log.end(), bytes.begin(), bytes.end());
        log.resize(record_bytes * (records + 1));
        return;
    }
    default: // a stretch of a branch
        const auto from = input.choose(branch_length);
        const auto to = std::min(branch_length, from + 1 + input.choose(branch_length));
        for (auto height = from; height < to; ++height)
            append_record(log, branch[height]);
    }
}

void check(const HeaderScan& scan, const MappedFile& file, std::uint32_t count) {
    require(scan.end <= count && scan.tip.has_value() == !scan.records.empty());
    if (!scan.torn && scan.damage.empty()) require(scan.end == count);
    chain::Uint256 work;
    chain::Hash256 previous;
    for (std::size_t height = 0; height < scan.records.size(); ++height) {
        require(scan.records[height] < scan.end);
        const auto record = record_at(file, scan.records[height]);
        require(record_is_whole(record));
        const auto header = decode_record(record);
        work = work + chain::work_of(header.header.bits);
        require(header.height == static_cast<std::int32_t>(height) && header.work == work);
        if (height > 0) require(header.header.previous == previous);
        previous = chain::hash_of(header.header);
        if (height == 0) require(previous == regtest().genesis_hash);
    }
    if (!scan.tip) return;
    require(scan.tip->hash == previous && scan.tip->work == work);
    require(scan.tip->height + 1 == static_cast<std::int32_t>(scan.records.size()));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const auto all = mine_branches();
    static File file;
    tests::Input input(data, size);
    Bytes log;
    while (!input.empty() && log.size() < (most_records - branch_length) * record_bytes)
        write_more(input, all, log);
    const auto count = static_cast<std::uint32_t>(log.size() / record_bytes);
    const auto& mapped = file.hold(log);
    const auto scan = scan_headers(mapped, count, regtest());
    check(scan, mapped, count);
    const auto again = scan_headers(mapped, scan.end, regtest());
    require(again.records == scan.records && again.tip == scan.tip && again.end == scan.end);
    require(!again.torn && again.damage.empty());
    const auto start = ByteView(data, std::min(size, preamble_bytes));
    const auto preamble = make_preamble(regtest());
    require(preamble_fault(start, regtest()).empty() == std::ranges::equal(start, preamble));
    return 0;
}
