// Part of bgtask, under the Apache License 2.0; see LICENSE.

#include "Words.hpp"

namespace {

constexpr std::size_t leastBytes = 2;
constexpr std::size_t mostBytes = 64;

bool isLetter(unsigned char byte) {
    return byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

} // namespace

std::set<std::string> wordsOf(std::string_view text) {
    std::set<std::string> words;
    std::string word;
    const auto finish = [&] {
        if (word.size() >= leastBytes && word.size() <= mostBytes) {
            words.insert(word);
        }
        word.clear();
    };
    for (const char letter : text) {
        if (isLetter(static_cast<unsigned char>(letter))) {
            word.push_back(static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter));
        } else {
            finish();
        }
    }
    finish();
    return words;
}
