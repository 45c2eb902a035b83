/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The parts of the scenarios: each makes calls of one kind, and writes their answers. */

#ifndef SCENARIOS_H
#define SCENARIOS_H

#include <bgtask.h>
#include <stdatomic.h>
#include <stdbool.h>

#define PLUGIN "com.example.agreement"
#define TASK PLUGIN ".task"
#define OTHER PLUGIN ".other"
#define WATCHED PLUGIN ".watched"
#define LATE PLUGIN ".album.summer"
#define PATTERN PLUGIN ".album.*"
#define UNREGISTERED PLUGIN ".unregistered"
#define FOREIGN "com.example.foreign.task"

extern const bgt_host *host;
extern int answers;                /* the file answers.txt */
extern char released_file[4200];   /* exists once the host has prepared the next refusal */
extern atomic_int turn;            /* of the tasks, which take turns */
extern atomic_bool watched_is_over;
extern bgt_task first_task, open_task;

/* Answers.c */
void say(const char *format, ...);
void answers_to(const char *call, int32_t status);
void refused(const char *call, int32_t status, const bgt_refusal *refusal);
void released(void *context); /* the release function of every context */
void wait_for_turn(int number);
bool is_scenario(const char *name);

/* Requests.c */
void submit(const char *call, const bgt_request *request);
void list(const char *context);
void submit_malformed(void);
void cancel_some(void);

/* Information.c */
void ask_for_texts(void);
void ask_for_launch(void);
void ask_for_names(void);
void write_log(void);

/* Registrations.c */
void try_register(const char *name, bgt_handler handler, const char *context);
void register_some(void);

/* Assertions.c */
void assertion_expires(void *context, const bgt_host *called, bgt_assertion assertion, uint32_t reason);
void try_assertions(void);

/* Cursors.c */
void try_cursors(bgt_task task);
void try_cursors_in_vain(bgt_task task); /* an event, or a completed task */

/* Tasks.c */
void describe(bgt_task task);
void never_called(void *context, const bgt_host *called, bgt_task task, uint32_t reason);
void handle(void *context, const bgt_host *called, bgt_task task);
void receive(void *context, const bgt_host *called, bgt_task event);
void stop(void *context, const bgt_host *called);

#endif
