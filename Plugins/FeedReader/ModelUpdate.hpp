// Part of bgtask, under the Apache License 2.0; see LICENSE.

#pragma once

#include "Host.hpp"

// Updates the model: computes the weights of the words that TypingLearner counted, stores the heaviest as the model,
// and scores every entry in batches. When it is stopped, complete batches stay stored, and the next update continues
// there.
//
// NO_DATA: no words were learned, or every entry is already scored; FAILURE: stopped before the end. Throws on errors.
std::int32_t updateModel(const Host &host, bgt_task task);
