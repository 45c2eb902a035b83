// Part of bgtask, under the Apache License 2.0; see LICENSE.

#pragma once

#include <set>
#include <string>
#include <string_view>

// The different words of a text, as TypingLearner counts them: runs of 2 to 64 bytes of ASCII letters, digits and what is
// beyond ASCII, ASCII letters in lower case.
std::set<std::string> wordsOf(std::string_view text);
