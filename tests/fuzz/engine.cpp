// Any bytes as the story of a client among three nodes that share a small chain: what they say
// arrives, is changed, dropped, told twice or in another order, or comes from elsewhere;
// connections break, time passes, the disk fails, the client is restarted, the chain turns another
// way. engine_run.hpp holds the rules. When the story ends, everybody is honest, and the run must
// end.
#include "p2p/message.hpp"
#include "regtest/sim_node.hpp"
#include "tests/fuzz/engine_run.hpp"

using namespace headlight;
using tests::EngineChain;
using tests::EngineRun;
using tests::Input;
using tests::require;

namespace {

constexpr std::size_t nodes = 3;

class Story : public EngineRun::Network {
  public:
    Story(EngineChain& world, Input& input) : world_(world), input_(input), run_(world, *this) {
        for (std::size_t i = 0; i < nodes; ++i) {
            regtest::SimNodeConfig config;
            config.nonce += i;
            config.noban = input_.choose(2) == 0;
            config.unix_at_zero = EngineRun::unix_at_zero;
            choose_fault(i, config);
            places_.push_back({std::make_unique<regtest::SimNode>(world.chain(), config),
                               {"node-" + std::to_string(i), 18444},
                               !config.faults.empty()});
            places_.back().node->set_tip(any_tip(), 0);
        }
    }

    void tell() {
        const bool cut_short = input_.choose(2) != 0;
        start();
        for (int step = 0; step < 400 && !input_.empty(); ++step)
            play();
        if (!cut_short) end_well(); // else it may be anywhere when the process is killed
    }

    // EngineRun::Network
    void connect(const sync::action::Connect& action) override {
        Link link;
        link.place = input_place(action.endpoint);
        links_[action.peer] = std::move(link);
    }
    void send(const sync::action::Send& action) override {
        auto& link = links_.at(action.peer);
        link.sent += 100;
        link.session->on(action.message, run_.now_ms());
        collect();
    }
    void disconnect(const sync::action::Disconnect& action) override {
        const auto place = links_.at(action.peer).place;
        // Nobody is banned who did nothing false.
        require(!sync::is_ban(action.reason) || places_[place].lies);
        close(action.peer);
    }

  private:
    struct Link {
        std::size_t place = 0;
        regtest::SimSession* session = nullptr; ///< once connected
        std::deque<regtest::Outgoing> arriving;
        std::uint64_t received = 0;
        std::uint64_t sent = 0;
    };
    struct Place {
        std::unique_ptr<regtest::SimNode> node;
        p2p::Endpoint endpoint;
        bool lies = false;
    };

    // The cast

    void choose_fault(std::size_t number, regtest::SimNodeConfig& config) {
        if (number == 0 || input_.choose(4) != 0) return;
        const auto& faults = regtest::all_faults();
        const auto& fault = faults[input_.choose(static_cast<std::uint32_t>(faults.size()))];
        // What only repeats itself is slow to play, and the simulated runs play it.
        if (fault.name.find("flood") != fault.name.npos || fault.name == "endless-headers") return;
        config.faults.push_back({std::string(fault.name)});
        for (const auto* hides : {"matches-nothing", "hides-spends", "no-auto-update",
                                  "keeps-first-filter", "another-block"})
            run_.omitted = run_.omitted || fault.name == hides;
    }

    chain::Hash256 any_tip() { return world_.tips()[input_.choose(EngineChain::branches)]; }

    std::size_t input_place(const p2p::Endpoint& endpoint) const {
        std::size_t place = 0;
        while (places_[place].endpoint != endpoint)
            ++place;
        return place;
    }

    void start() {
        sync::Config config;
        const auto count = 1 + input_.choose(nodes);
        for (std::size_t i = 0; i < count; ++i)
            config.peers.push_back(places_[i].endpoint);
        config.seed = 1 + input_.byte();
        const auto second = input_.choose(4);
        if (second == 1) config.cross_check.reset();
        if (second == 2) config.cross_check = 1.0;
        const auto kind = input_.choose(16);
        follow_ = kind == 1 || kind == 2;
        config.follow = follow_;
        if (kind == 3) config.until_height = input_.choose(40);
        if (kind == 4) config.mempool_wait_ms = 20'000;
        config.whole_blocks = kind == 6 || kind == 7;
        if (kind == 8 || kind == 9) run_.spread(2);
        if (kind == 5)
            config.broadcast =
                world_.loose()[input_.choose(static_cast<std::uint32_t>(world_.loose().size()))];
        run_.start(std::move(config));
    }

    // What happens

    void play() {
        switch (input_.choose(24)) {
        case 0:
            return arrive(any_link());
        case 1:
            return arrive_all(any_link());
        case 2:
        case 3:
            return be_quiet();
        case 4:
            return alter_next(any_link());
        case 5:
            return lie(any_link(), &Story::drop_next);
        case 6:
            return lie(any_link(), &Story::repeat_next);
        case 7:
            return lie(any_link(), &Story::swap_next);
        case 8:
            return say_anything(any_link());
        case 9:
            return forge_headers(any_link());
        case 10:
            return forge_block(any_link());
        case 11:
            return tick();
        case 12:
            return pass(input_.choose(1'000) * (1 + input_.choose(64)));
        case 13:
            return meet(any_link(), input_.choose(4) != 0);
        case 14:
            return lose(any_link(), static_cast<sync::Loss>(input_.choose(7)));
        case 15:
            return turn();
        case 16: {
            const auto& loose = world_.loose();
            const auto& tx = loose[input_.choose(static_cast<std::uint32_t>(loose.size()))];
            any_place().node->add_to_mempool(tx, run_.now_ms());
            return collect();
        }
        case 17:
            run_.fails_next = true;
            return;
        case 18:
            if (input_.choose(4) == 0) run_.feed(sync::event::Stop{errc::stopped});
            return;
        case 19:
            if (restarts_++ < 3) restart();
            return;
        default:
            return arrive(any_link());
        }
    }

    Place& any_place() { return places_[input_.choose(nodes)]; }
    std::optional<sync::PeerId> any_link() {
        if (links_.empty()) return std::nullopt;
        auto link = links_.begin();
        std::advance(link, input_.choose(static_cast<std::uint32_t>(links_.size())));
        return link->first;
    }

    void turn() {
        any_place().node->set_tip(any_tip(), run_.now_ms());
        collect();
    }

    void restart() {
        while (!links_.empty())
            close(links_.begin()->first);
        start();
    }

    // Connections

    void meet(std::optional<sync::PeerId> peer, bool reachable) {
        if (!peer || links_.at(*peer).session) return;
        if (!reachable) return lose(peer, sync::Loss::refused);
        auto& link = links_.at(*peer);
        link.session = &places_[link.place].node->open(run_.now_ms());
        run_.connected(*peer);
        run_.feed(sync::event::Connected{*peer});
    }

    void lose(std::optional<sync::PeerId> peer, sync::Loss loss) {
        if (!peer) return;
        close(*peer);
        run_.lost(*peer);
        run_.feed(sync::event::Disconnected{*peer, loss, "it is gone"});
    }

    void close(sync::PeerId peer) {
        const auto found = links_.find(peer);
        if (found->second.session) places_[found->second.place].node->close(*found->second.session);
        links_.erase(found);
    }

    /// What the nodes have to say is on its way.
    void collect() {
        for (auto& [peer, link] : links_) {
            if (!link.session) continue;
            for (auto& outgoing : link.session->take())
                link.arriving.push_back(std::move(outgoing));
        }
    }

    // Messages

    void arrive(std::optional<sync::PeerId> peer) {
        if (!peer) return;
        auto& link = links_.at(*peer);
        if (link.arriving.empty()) return meet(peer, true);
        const auto outgoing = std::move(link.arriving.front());
        link.arriving.pop_front();
        if (const auto* message = std::get_if<p2p::Message>(&outgoing)) {
            deliver(*peer, *message);
        } else {
            const bool closes = std::holds_alternative<regtest::CloseConnection>(outgoing);
            lose(peer, closes ? sync::Loss::closed : sync::Loss::bad_frame);
        }
    }

    void deliver(sync::PeerId peer, const p2p::Message& message) {
        links_.at(peer).received += 100;
        run_.feed(sync::event::Received{peer, message});
        const auto link = links_.find(peer);
        if (link == links_.end()) return;
        run_.feed(sync::event::Bytes{peer, link->second.received, link->second.sent});
    }

    void arrive_all(std::optional<sync::PeerId> peer) {
        for (int i = 0; i < 200 && peer && links_.contains(*peer); ++i) {
            if (links_.at(*peer).arriving.empty()) return;
            arrive(peer);
        }
    }

    /// Everything that is under way arrives, and what is answered to it.
    void be_quiet() {
        bool more = true;
        for (int rounds = 0; more && rounds < 400; ++rounds) {
            more = false;
            std::vector<sync::PeerId> peers;
            for (const auto& [peer, link] : links_)
                peers.push_back(peer);
            for (const auto peer : peers) {
                const auto link = links_.find(peer);
                if (link == links_.end()) continue;
                if (link->second.session && link->second.arriving.empty()) continue;
                more = true;
                arrive(peer);
            }
        }
    }

    // Lies

    p2p::Message* next_message(sync::PeerId peer) {
        auto& link = links_.at(peer);
        if (link.arriving.empty()) return nullptr;
        return std::get_if<p2p::Message>(&link.arriving.front());
    }

    void lie(std::optional<sync::PeerId> peer, void (Story::*what)(Link&)) {
        if (!peer || !next_message(*peer)) return;
        places_[links_.at(*peer).place].lies = true;
        (this->*what)(links_.at(*peer));
    }
    void drop_next(Link& link) { link.arriving.pop_front(); }
    /// A second answer may be taken for one under a newer filter: an omission.
    void repeat_next(Link& link) {
        run_.omitted = true;
        const auto copy = link.arriving.front();
        link.arriving.insert(
            link.arriving.begin() +
                std::min<std::ptrdiff_t>(1 + input_.choose(8),
                                         static_cast<std::ptrdiff_t>(link.arriving.size())),
            copy);
    }
    void swap_next(Link& link) {
        if (link.arriving.size() < 2) return;
        run_.omitted = true;
        std::swap(link.arriving[0],
                  link.arriving[1 + input_.choose(static_cast<std::uint32_t>(
                                        std::min<std::size_t>(link.arriving.size() - 1, 8)))]);
    }

    void say(sync::PeerId peer, std::string_view command, ByteView payload) {
        const auto message = p2p::decode_payload(command, payload);
        if (!message) return lose(peer, sync::Loss::bad_frame);
        deliver(peer, *message);
    }

    void alter_next(std::optional<sync::PeerId> peer) {
        auto* next = peer ? next_message(*peer) : nullptr;
        if (!next) return;
        places_[links_.at(*peer).place].lies = true;
        const auto original = std::move(*next);
        links_.at(*peer).arriving.pop_front();
        auto payload = p2p::encode_payload(original);
        const auto changes = 1 + input_.choose(3);
        for (std::uint32_t i = 0; i < changes && !payload.empty(); ++i)
            payload[input_.choose(65'536) % payload.size()] ^= input_.byte();
        if (input_.choose(8) == 1) payload.resize(input_.choose(65'536) % (payload.size() + 1));
        const auto altered = p2p::decode_payload(p2p::command_of(original), payload);
        if (altered && hides(*altered, &original)) run_.omitted = true;
        say(*peer, p2p::command_of(original), payload);
    }

    /// Whether a filtered block holds, and says something else than the honest one.
    static bool hides(const p2p::Message& message, const p2p::Message* honest) {
        const auto* block = std::get_if<bip37::MerkleBlock>(&message);
        if (!block) return false;
        const auto found = bip37::verify(*block);
        if (!found) return false;
        const auto* original = honest ? std::get_if<bip37::MerkleBlock>(honest) : nullptr;
        return !original || bip37::verify(*original) != found;
    }

    void say_anything(std::optional<sync::PeerId> peer) {
        static constexpr std::array<std::string_view, 26> commands{
            "version",     "verack",   "ping",        "pong",        "getheaders", "getblocks",
            "headers",     "inv",      "getdata",     "notfound",    "tx",         "block",
            "addr",        "addrv2",   "sendheaders", "merkleblock", "filterload", "filteradd",
            "filterclear", "mempool",  "feefilter",   "getaddr",     "sendaddrv2", "reject",
            "alert",       "unheardof"};
        const auto command = commands[input_.choose(commands.size())];
        const auto payload = input_.bytes(input_.choose(200));
        if (!peer || !links_.at(*peer).session) return;
        places_[links_.at(*peer).place].lies = true;
        const auto message = p2p::decode_payload(command, payload);
        if (message && hides(*message, nullptr)) run_.omitted = true;
        say(*peer, command, payload);
    }

    /// A few headers with their work done on any block, as a rival miner would.
    void forge_headers(std::optional<sync::PeerId> peer) {
        const auto& blocks = world_.blocks();
        const auto any_block = [&] {
            return blocks[input_.choose(static_cast<std::uint32_t>(blocks.size()))];
        };
        p2p::Headers message;
        auto header = any_block()->header;
        if (input_.choose(2) == 0) header.previous = chain::hash_of(header); // else a sibling
        for (auto count = 1 + input_.choose(4); count > 0; --count) {
            if (!message.headers.empty()) header.previous = chain::hash_of(header);
            header.merkle_root = any_block()->header.merkle_root;
            header.time += input_.choose(256) == 255 ? 1'000'000'000 : input_.byte();
            regtest::grind(header, input_.choose(16) != 15);
            message.headers.push_back(header);
            forged_.push_back(header);
        }
        if (!peer || !links_.at(*peer).session) return;
        places_[links_.at(*peer).place].lies = true;
        deliver(*peer, message);
    }

    /// A true tree of an honest block, perhaps under a forged header, and its transactions.
    void forge_block(std::optional<sync::PeerId> peer) {
        const auto& blocks = world_.blocks();
        const auto& block = *blocks[input_.choose(static_cast<std::uint32_t>(blocks.size()))];
        std::vector<bool> chosen;
        for (std::size_t i = 0; i < block.txids.size(); ++i)
            chosen.push_back(input_.choose(2) == 0);
        auto header = block.header;
        const auto which = input_.choose(4);
        if (which != 0 && !forged_.empty())
            header = forged_[input_.choose(static_cast<std::uint32_t>(forged_.size()))];
        if (!peer || !links_.at(*peer).session) return;
        places_[links_.at(*peer).place].lies = true;
        run_.omitted = run_.omitted || header == block.header;
        deliver(*peer,
                bip37::MerkleBlock{header, bip37::build_partial_merkle_tree(block.txids, chosen)});
        for (std::size_t i = 0; i < block.txids.size() && links_.contains(*peer); ++i) {
            if (chosen[i]) deliver(*peer, p2p::Tx{block.transactions[i]});
        }
    }

    // Time

    void pass(std::int64_t milliseconds) {
        run_.pass(milliseconds);
        for (const auto& place : places_) {
            for (const auto& session : place.node->sessions())
                session->tick(run_.now_ms());
        }
        collect();
    }

    /// To the next thing that somebody waits for.
    void tick() {
        auto next = run_.wake_ms().value_or(run_.now_ms() + 60'000);
        for (const auto& place : places_) {
            for (const auto& session : place.node->sessions())
                next = std::min(next, session->next_wake_ms().value_or(next));
        }
        pass(std::max<std::int64_t>(next - run_.now_ms(), 0));
        if (!run_.wake_ms() || *run_.wake_ms() > run_.now_ms()) return;
        run_.forget_wake();
        run_.feed(sync::event::Tick{});
    }

    void end_well() {
        for (int round = 0; round < 4'000 && !run_.finished(); ++round) {
            be_quiet();
            if (follow_ && round > 20) run_.feed(sync::event::Stop{errc::stopped});
            if (!run_.finished()) tick();
        }
        require(run_.finished());
        run_.feed(sync::event::Tick{}); // nothing follows
    }

    EngineChain& world_;
    Input& input_;
    EngineRun run_;
    std::vector<Place> places_;
    std::map<sync::PeerId, Link> links_;
    std::vector<chain::BlockHeader> forged_;
    bool follow_ = false;
    int restarts_ = 0;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static EngineChain world;
    Input input(data, size);
    Story(world, input).tell();
    return 0;
}
