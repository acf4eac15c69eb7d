// Bytes that hold a secret, and are wiped before their memory goes back.
#pragma once

#include "chain/bytes.hpp"

#include <openssl/crypto.h>

#include <array>
#include <memory>

namespace headlight::wallet {

/// Wipes whatever it gives back, also when a container grows.
template <class T>
struct WipingAllocator {
    using value_type = T;

    WipingAllocator() = default;
    template <class U>
    WipingAllocator(const WipingAllocator<U>&) {}

    T* allocate(std::size_t count) { return std::allocator<T>().allocate(count); }
    void deallocate(T* memory, std::size_t count) {
        OPENSSL_cleanse(memory, count * sizeof(T));
        std::allocator<T>().deallocate(memory, count);
    }
    friend bool operator==(const WipingAllocator&, const WipingAllocator&) { return true; }
};

/// A vector and not a string, whose short form would live outside the allocator.
using SecretBytes = std::vector<std::uint8_t, WipingAllocator<std::uint8_t>>;

/// Wipes a fixed array at the end of a scope.
template <std::size_t N>
class Wiped {
  public:
    explicit Wiped(std::array<std::uint8_t, N>& target) : target_(target) {}
    Wiped(const Wiped&) = delete;
    Wiped& operator=(const Wiped&) = delete;
    ~Wiped() { OPENSSL_cleanse(target_.data(), N); }

  private:
    std::array<std::uint8_t, N>& target_;
};

} // namespace headlight::wallet
