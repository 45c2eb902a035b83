/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef BGTASK_TESTING_SUBMISSION_H
#define BGTASK_TESTING_SUBMISSION_H

#include "host.h"

/* A copy of a well-formed request; NULL, with the problem, of every other one. */
HIDDEN bgt_pending *read_submission(const bgt_request *request, problem *problem);
HIDDEN void free_request(bgt_pending *request);
/* A copy of a valid identifier of a task; NULL, with the problem, of every other one. */
HIDDEN char *read_identifier(const char *identifier, problem *problem);

#endif /* BGTASK_TESTING_SUBMISSION_H */
