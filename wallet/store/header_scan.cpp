// One pass over the header file.
#include "wallet/store/header_scan.hpp"

namespace headlight::wallet::store {

namespace {

class Scanner {
  public:
    Scanner(const MappedFile& file, std::uint32_t count, const chain::Network& network)
        : file_(file), count_(count), network_(network) {}

    HeaderScan run() {
        scan_.records.reserve(count_);
        for (std::uint32_t number = 0; number < count_; ++number) {
            const auto record = record_at(file_, number);
            if (!record_is_whole(record)) return stop_at(number);
            if (const auto fault = take(number, decode_record(record)); !fault.empty()) {
                return give_up(number, fault);
            }
        }
        close(count_);
        return std::move(scan_);
    }

  private:
    /// What a record contradicts, or nothing.
    std::string_view take(std::uint32_t number, chain::ChainedHeader header) {
        header.hash = chain::hash_of(header.header);
        const auto height = static_cast<std::uint32_t>(header.height);
        if (!scan_.tip) {
            if (header.height != 0 || header.hash != network_.genesis_hash) {
                return "does not begin with the network's genesis block";
            }
        } else {
            if (header.height < 1 || height > scan_.records.size())
                return "has a gap in its heights";
            if (height < scan_.records.size() && !begin_branch(number, height)) {
                return "holds an unfinished branch";
            }
            if (header.header.previous != scan_.tip->hash) return "has a broken link";
        }
        const auto before = scan_.tip ? scan_.tip->work : chain::Uint256{};
        if (header.work != before + work_of(header.header.bits)) return "has a wrong sum of work";
        scan_.records.push_back(number);
        scan_.tip = header;
        if (branch_ && header.work > branch_->tip.work) branch_.reset();
        return {};
    }

    bool begin_branch(std::uint32_t number, std::uint32_t height) {
        if (branch_) return false;
        const auto from = scan_.records.begin() + height;
        branch_ = Branch{number, height, {from, scan_.records.end()}, *scan_.tip};
        const auto parent_hash = previous_in_record(record_at(file_, *from));
        scan_.records.erase(from, scan_.records.end());
        scan_.tip = decode_record(record_at(file_, scan_.records.back()));
        scan_.tip->hash = parent_hash;
        return true;
    }

    /// A record that is not whole: a torn tail, unless something whole comes behind it.
    HeaderScan stop_at(std::uint32_t number) {
        for (auto later = number + 1; later < count_; ++later) {
            if (record_is_whole(record_at(file_, later))) {
                return give_up(number, "has a record whose checksum is wrong");
            }
        }
        scan_.torn = true;
        close(number);
        return std::move(scan_);
    }

    HeaderScan give_up(std::uint32_t number, std::string_view fault) {
        close(number);
        scan_.damage = "its record " + std::to_string(number) + " " + std::string(fault);
        return std::move(scan_);
    }

    /// A branch that did not get as far as to be the best chain goes with the tail.
    void close(std::uint32_t end) {
        if (branch_) {
            scan_.records.resize(branch_->height);
            scan_.records.insert(scan_.records.end(), branch_->replaced.begin(),
                                 branch_->replaced.end());
            scan_.tip = branch_->tip;
            scan_.torn = true;
            end = branch_->first_record;
        }
        scan_.end = end;
    }

    /// Bits rarely change, and the division behind them is slow.
    chain::Uint256 work_of(std::uint32_t bits) {
        if (bits != known_bits_) {
            known_bits_ = bits;
            known_work_ = chain::work_of(bits);
        }
        return known_work_;
    }

    struct Branch {
        std::uint32_t first_record = 0;
        std::uint32_t height = 0;
        std::vector<std::uint32_t> replaced;
        chain::ChainedHeader tip;
    };

    const MappedFile& file_;
    std::uint32_t count_;
    const chain::Network& network_;
    HeaderScan scan_;
    std::optional<Branch> branch_;
    std::uint32_t known_bits_ = 0;
    chain::Uint256 known_work_;
};

} // namespace

ByteView record_at(const MappedFile& file, std::uint32_t number) {
    return file.view(preamble_bytes + std::uint64_t{number} * record_bytes, record_bytes);
}

HeaderScan scan_headers(const MappedFile& file, std::uint32_t count,
                        const chain::Network& network) {
    return Scanner(file, count, network).run();
}

} // namespace headlight::wallet::store
