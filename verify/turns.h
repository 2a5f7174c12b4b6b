/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The instruction set is chosen for the whole process, and not while a thread computes. So threads that compare several
 * take turns together: all with the first, all with the second, ... and again from the first. */
#ifndef GELU_VERIFY_TURNS_H
#define GELU_VERIFY_TURNS_H

#include <pthread.h>
#include <stddef.h>

enum { TURNS_MOST_ISAS = 8 };

typedef struct {
    const char *isas[TURNS_MOST_ISAS]; /* available ones */
    size_t n_isas, next;
    unsigned members, waiting;
    unsigned long taken;
    pthread_mutex_t mutex;
    pthread_cond_t turn;
} turns;

/* isas and n_isas are set; everything else begins here. */
void turns_begin(turns *t, unsigned members);
/* Waits for the other members, then the next instruction set is in use. Not for results, only for computing: a member
 * that waits says that it has done with the one before. */
void turns_next(turns *t);
/* One member less. The others no longer wait for it. */
void turns_leave(turns *t);
void turns_end(turns *t);

#endif
