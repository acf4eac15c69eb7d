#include "tests/sim/disk/disk_story.hpp"

#include "chain/script.hpp"
#include "client/driver.hpp"
#include "regtest/script_memory.hpp"
#include "wallet/hd_key.hpp"
#include "wallet/wallet.hpp"

#include <algorithm>
#include <sstream>

namespace headlight::tests {

namespace {

using regtest::BlockPlan;
using regtest::ChainBuilder;
using regtest::SimDisk;
using regtest::SimNode;
using regtest::SimWorld;
using wallet::store::HeaderFile;
using wallet::store::WalletDb;

const chain::Network& story_network() { return chain::network(chain::NetworkId::regtest); }

chain::TxOut to_somebody(Amount amount) {
    return {amount, chain::witness_script(0, Bytes(20, 0x77))};
}

SimDisk disk_of(chain::MemoryArchive headers, wallet::WalletState wallet) {
    SimDisk disk;
    disk.headers = std::move(headers);
    disk.wallet = std::move(wallet);
    return disk;
}

chain::OutPoint first_output(const chain::Transaction& tx) { return {chain::txid(tx), 0}; }

} // namespace

// The story

DiskStory::DiskStory() { tell(); }

/// Of one branch only: what is derived anew at each start takes most of a step's time.
wallet::Descriptor DiskStory::descriptor() const {
    const auto master = wallet::master_key(Bytes(32, 1));
    auto text = *wallet::account_descriptor(*master, wallet::AccountKind::wpkh, 0, story_network());
    text = text.substr(0, text.find('#'));
    text.replace(text.find("<0;1>"), 5, "0");
    return *wallet::Descriptor::parse(text, story_network());
}

wallet::Descriptor DiskStory::watched_later() const {
    const auto text = "raw(" + to_hex(chain::witness_script(0, Bytes(20, 0x55))) + ")";
    return *wallet::Descriptor::parse(text, story_network());
}

wallet::WalletState DiskStory::new_wallet() const {
    const auto made =
        wallet::Wallet::create(story_network(), 0x1234, 0, {}, regtest::remembered_scripts());
    EXPECT_TRUE(made->add(descriptor(), 20, {}, true));
    return made->state();
}

Bytes DiskStory::script(std::uint32_t index) const { return *descriptor().script_pubkey(0, index); }

void DiskStory::tell() {
    const auto first = chain_.pay(script(0), 100'000);
    const auto second = chain_.pay(script(19), 50'000);
    const auto third = chain_.pay(script(7), 7'000);
    chain_.mine_empty(1);
    chain_.mine({.transactions = {first}});
    chain_.mine({.transactions = {chain_.pay(*watched_later().script_pubkey(0, 0), 3'000)}});
    chain_.mine({.transactions = {second}});
    chain_.mine({.transactions = {ChainBuilder::spend(
                     {first_output(first)}, {to_somebody(60'000), {39'000, script(3)}})}});
    const auto fork = chain_.mine({.coinbase_script = script(4)}).hash;
    const auto go_to = [](const chain::Hash256& tip) {
        return [tip](SimNode& node, std::int64_t now) { node.set_tip(tip, now); };
    };
    steps_.push_back({.name = "a new wallet", .network = {{0, go_to(fork)}}});

    const auto confirms = chain_.mine(fork, {.transactions = {third}}).hash;
    const auto spent = ChainBuilder::spend({first_output(second)}, {to_somebody(49'000)});
    const auto old_tip = chain_.mine(confirms, {.transactions = {spent}}).hash;
    const auto kept = ChainBuilder::spend({first_output(second)}, {{48'000, script(8)}});
    chain_.mine(fork, {.transactions = {kept}});
    chain_.mine_empty(1);
    const auto new_tip = chain_.mine({.transactions = {third}}).hash;
    const auto pending = chain_.pay(script(9), 9'000);
    steps_.push_back(
        {.name = "followed through a reorganisation",
         .network = {{0, go_to(fork)},
                     {1'500, [third](SimNode& node,
                                     std::int64_t now) { node.add_to_mempool(third, now); }},
                     {3'000, go_to(confirms)},
                     {4'500, go_to(old_tip)},
                     {6'000, go_to(new_tip)},
                     {7'000, [pending](SimNode& node,
                                       std::int64_t now) { node.add_to_mempool(pending, now); }}},
         .follow_ms = 8'500});

    steps_.push_back({.name = "more to watch, and a rescan",
                      .network = {{0, go_to(chain_.mine_empty(new_tip, 1).hash)}},
                      .by_hand = [this](wallet::Wallet& wallet) {
                          EXPECT_TRUE(wallet.add(watched_later(), 20, {}, false));
                          wallet.set_label("bcrt1q", "rent");
                          wallet.request_rescan({wallet::Birthday::Kind::height, 2});
                      }});

    chain_.mine_empty(old_tip, 2);
    steps_.push_back({.name = "the old branch wins after all",
                      .network = {{0, go_to(chain_.mine_empty(1).hash)}}});
}

// The client

DiskClient::DiskClient(DiskStory& story, const std::filesystem::path& folder)
    : story_(&story), folder_(folder), disk_(folder) {}

result<std::unique_ptr<WalletDb>> DiskClient::open_wallet() {
    if (!std::filesystem::exists(wallet_file()))
        return WalletDb::create(wallet_file(), story_->new_wallet(), disk_);
    return WalletDb::open(wallet_file(), WalletDb::Mode::read_write);
}

namespace {

chain::MemoryArchive archive_of(const HeaderFile& file) {
    chain::HeaderChange all{-1, {}};
    for (std::int32_t height = 0; height <= file.tip_height(); ++height)
        all.headers.push_back(file.at(height));
    chain::MemoryArchive archive;
    archive.apply(all);
    return archive;
}

} // namespace

void DiskClient::persist_to(HeaderFile& headers, WalletDb& db, SimWorld& world, StepRun& run) {
    world.on_persist = [&](const sync::action::Persist& persist) -> std::optional<Error> {
        run.under_way = run.stored;
        run.under_way->apply(persist);
        if (auto error = client::store_durably(persist, headers, &db)) return error;
        run.stored = std::exchange(run.under_way, std::nullopt);
        return std::nullopt;
    };
}

StepRun DiskClient::run(const StoryStep& step, std::optional<SimDisk> before, bool late) {
    StepRun run{.stored = std::move(before)};
    const auto failed = [&](Error error) {
        run.error = std::move(error);
        return run;
    };
    if (!run.stored) run.under_way = disk_of({}, story_->new_wallet());
    const auto db = open_wallet();
    if (!db) return failed(db.error());
    if (!run.stored) run.stored = std::exchange(run.under_way, std::nullopt);
    auto state = (*db)->load();
    if (!state) return failed(state.error());
    if (step.by_hand) {
        auto wallet = wallet::Wallet::load(*state, story_network(), regtest::remembered_scripts());
        step.by_hand(**wallet);
        sync::action::Persist change;
        change.changes = (*wallet)->take_changes();
        run.under_way = run.stored;
        run.under_way->apply(change);
        if (const auto done = (*db)->apply(change.changes); !done) return failed(done.error());
        run.stored = std::exchange(run.under_way, std::nullopt);
        state = (*db)->load();
        if (!state) return failed(state.error());
    }
    const auto headers =
        HeaderFile::open(header_file(), story_network(), HeaderFile::Mode::read_write, disk_);
    if (!headers) return failed(headers.error());

    SimWorld world(story_->chain(), 7);
    world.set_delay(50, 200);
    auto& node = world.add_node({.noban = true});
    for (const auto& [ms, happens] : step.network) {
        if (late || ms == 0)
            happens(node, 0);
        else
            world.at(ms, [&node, &world, happens = happens] { happens(node, world.now_ms()); });
    }
    world.disk() = disk_of(archive_of(*headers->file), *state);
    persist_to(*headers->file, **db, world, run);
    const bool follows = step.follow_ms > 0 && !late;
    world.start({.seed = 11, .follow = follows});
    if (follows) {
        world.run_for(step.follow_ms);
        world.stop(errc::stopped);
    }
    EXPECT_TRUE(world.run()) << "the client does not end";
    run.error = world.outcome()->error;
    return run;
}

result<std::optional<SimDisk>> DiskClient::read() {
    if (!std::filesystem::exists(wallet_file())) return std::optional<SimDisk>{};
    const auto db = WalletDb::open(wallet_file(), WalletDb::Mode::read_write);
    if (!db) return db.error();
    auto state = (*db)->load();
    if (!state) return state.error();
    const auto headers =
        HeaderFile::open(header_file(), story_network(), HeaderFile::Mode::read_write);
    if (!headers) return headers.error();
    EXPECT_EQ(headers->notice.find("damaged"), std::string::npos) << headers->notice;
    return std::optional(disk_of(archive_of(*headers->file), std::move(*state)));
}

// The books

namespace {

bool is_ruled_out(const wallet::StoredTx& stored, const std::set<chain::OutPoint>& spent) {
    return !stored.confirmation && std::ranges::any_of(stored.tx.inputs, [&](const auto& input) {
        return spent.contains(input.prevout);
    });
}

void tell_transactions(const std::vector<wallet::StoredTx>& transactions, std::ostream& out) {
    std::set<chain::OutPoint> spent;
    for (const auto& it : transactions) {
        if (!it.confirmation) continue;
        for (const auto& input : it.tx.inputs)
            spent.insert(input.prevout);
    }
    std::set<std::string> lines;
    for (const auto& it : transactions) {
        if (is_ruled_out(it, spent)) continue;
        auto line = it.txid.to_string() + (it.abandoned ? " abandoned" : "");
        if (const auto& at = it.confirmation) {
            line += " at " + std::to_string(at->height) + " " + at->block.to_string() + " " +
                    std::to_string(at->position) + " of " + std::to_string(at->total_transactions);
        }
        lines.insert(line);
    }
    for (const auto& line : lines)
        out << line << "\n";
}

} // namespace

std::string books(const SimDisk& disk) {
    const auto& wallet = disk.wallet;
    std::ostringstream out;
    const auto tip = disk.headers.tip_height();
    out << "headers to " << tip << " " << (tip < 0 ? "" : disk.headers.at(tip).hash.to_string())
        << "\nscanned to " << wallet.scan.height << " " << wallet.scan.hash.to_string()
        << (wallet.rescan || wallet.rescan_other ? ", a rescan is due" : "") << "\n";
    tell_transactions(wallet.transactions, out);
    for (const auto& it : wallet.descriptors) {
        out << it.id << " " << it.descriptor << " gap " << it.gap << " from " << it.birthday.value;
        for (const auto& branch : it.branches)
            out << ", used to " << branch.highest_used << " of " << branch.derived;
        out << "\n";
    }
    for (const auto& [name, label] : wallet.labels)
        out << name << ": " << label << "\n";
    out << "filter " << wallet.filter.tweak << " " << wallet.filter.size_class << "\n";
    return out.str();
}

} // namespace headlight::tests
