// Part of bgtask, under the Apache License 2.0; see LICENSE.

#pragma once

#include <set>
#include <string>
#include <string_view>

// The distinct words of a text, by the same rule as TypingLearner: runs of 2 to 64 bytes of ASCII letters, digits and
// non-ASCII characters, with ASCII letters in lower case.
std::set<std::string> wordsOf(std::string_view text);
