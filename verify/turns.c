/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "gelu.h"
#include "turns.h"

void turns_begin(turns *t, unsigned members) {
    t->next = 0;
    t->members = members;
    t->waiting = 0;
    t->taken = 0;
    pthread_mutex_init(&t->mutex, NULL);
    pthread_cond_init(&t->turn, NULL);
}

void turns_end(turns *t) {
    pthread_cond_destroy(&t->turn);
    pthread_mutex_destroy(&t->mutex);
}

static void take_turn(turns *t) {
    gelu_isa_select(t->isas[t->next]);
    t->next = (t->next + 1) % t->n_isas;
    t->waiting = 0;
    t->taken++;
    pthread_cond_broadcast(&t->turn);
}

void turns_next(turns *t) {
    pthread_mutex_lock(&t->mutex);
    unsigned long taken = t->taken;
    if (++t->waiting == t->members) take_turn(t);
    while (t->taken == taken) pthread_cond_wait(&t->turn, &t->mutex);
    pthread_mutex_unlock(&t->mutex);
}

void turns_leave(turns *t) {
    pthread_mutex_lock(&t->mutex);
    if (--t->members > 0 && t->waiting == t->members) take_turn(t);
    pthread_mutex_unlock(&t->mutex);
}
