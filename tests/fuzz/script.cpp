// Any bytes as a script: pushes, standard forms and filter elements agree with each other.
#include "chain/script.hpp"

#include <algorithm>
#include <cstdlib>

using namespace headlight;

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

Bytes rebuilt(chain::ScriptForm form, const Bytes& element) {
    switch (form) {
    case chain::ScriptForm::pk:
        return chain::pk_script(element);
    case chain::ScriptForm::pkh:
        return chain::pkh_script(element);
    case chain::ScriptForm::sh:
        return chain::sh_script(element);
    case chain::ScriptForm::wpkh:
    case chain::ScriptForm::wsh:
        return chain::witness_script(0, element);
    case chain::ScriptForm::tr:
        return chain::witness_script(1, element);
    default:
        return {};
    }
}

void check_pushes(ByteView script, const std::vector<ByteView>& pushes) {
    const auto* at = script.data();
    for (const auto push : pushes) {
        require(!push.empty());
        require(push.data() > at && push.data() + push.size() <= script.data() + script.size());
        at = push.data();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteView script(data, size);
    const auto pushes = chain::data_pushes(script);
    check_pushes(script, pushes);

    const auto elements = chain::filter_elements(script);
    require(elements.empty() == pushes.empty());
    for (const auto& element : elements) {
        require(std::any_of(pushes.begin(), pushes.end(), [&](ByteView push) {
            return std::equal(push.begin(), push.end(), element.begin(), element.end());
        }));
    }
    const auto form = chain::classify(script);
    if (form == chain::ScriptForm::multisig) {
        require(elements.size() == pushes.size() || elements.size() + 1 == pushes.size());
    } else if (form != chain::ScriptForm::other && form != chain::ScriptForm::null_data) {
        require(elements.size() == 1 && pushes.size() == 1);
        const auto again = rebuilt(form, elements[0]);
        require(std::equal(again.begin(), again.end(), script.begin(), script.end()));
    }

    Bytes push;
    chain::append_push(push, script);
    chain::ScriptReader reader(push);
    const auto op = reader.next();
    require(op && !reader.next() && !reader.malformed());
    require(size == 1 ||
            std::equal(op->push.begin(), op->push.end(), script.begin(), script.end()));
    return 0;
}
