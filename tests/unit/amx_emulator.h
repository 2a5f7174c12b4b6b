/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* AMX in software, for x86-64 Linux machines without it: every tile instruction is an illegal one there, and the handler
 * of SIGILL does what Intel's manual says it does (Software Developer's Manual, volume 2), the product by the naive rule.
 * It shows that the code and its layouts are right, not that a processor computes by the rule, nor how fast. What a
 * processor would refuse ends the program. Each thread has tiles of its own. */
#ifndef GELU_TESTS_AMX_EMULATOR_H
#define GELU_TESTS_AMX_EMULATOR_H

/* The includer defines _GNU_SOURCE first: the names of registers in a signal's context are no part of POSIX. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include "unit/naive_bf16.h"

static _Thread_local struct {
    unsigned char config[64]; /* as ldtilecfg reads it; all zero: initial state */
    unsigned char tile[8][16][64];
    size_t instructions, products;
} amx;

static void amx_demand(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "amx_emulator: %s\n", what);
    abort();
}

static unsigned amx_row_nbytes(unsigned tile) { return amx.config[16 + 2 * tile] + 256u * amx.config[17 + 2 * tile]; }
static unsigned amx_rows(unsigned tile) { return amx.config[48 + tile]; }

static void amx_configure(const unsigned char *p) {
    memcpy(amx.config, p, sizeof amx.config);
    memset(amx.tile, 0, sizeof amx.tile);
    amx_demand(p[0] == 1 && p[1] == 0, "palette 1 and start row 0 are what it knows");
    for (int i = 2; i < 16; i++) amx_demand(p[i] == 0, "reserved bytes are zero");
    for (int i = 32; i < 48; i++) amx_demand(p[i] == 0, "there are eight tiles");
    for (int i = 56; i < 64; i++) amx_demand(p[i] == 0, "there are eight tiles");
    for (unsigned i = 0; i < 8; i++) amx_demand(amx_row_nbytes(i) <= 64 && amx_rows(i) <= 16, "a tile is too large");
}

static void amx_demand_tile(unsigned tile) {
    amx_demand(tile < 8 && amx_rows(tile) > 0 && amx_row_nbytes(tile) > 0, "the tile is not configured");
}

static void amx_load(unsigned tile, const unsigned char *p, size_t stride) {
    amx_demand_tile(tile);
    memset(amx.tile[tile], 0, sizeof amx.tile[tile]);
    for (unsigned row = 0; row < amx_rows(tile); row++)
        memcpy(amx.tile[tile][row], p + row * stride, amx_row_nbytes(tile));
}

static void amx_store(unsigned tile, unsigned char *p, size_t stride) {
    amx_demand_tile(tile);
    for (unsigned row = 0; row < amx_rows(tile); row++)
        memcpy(p + row * stride, amx.tile[tile][row], amx_row_nbytes(tile));
}

/* acc[m][n] += the two chains over the pairs of a's row m and of b's column n */
static void amx_product(unsigned acc, unsigned a, unsigned b) {
    amx_demand_tile(acc), amx_demand_tile(a), amx_demand_tile(b);
    amx_demand(acc != a && acc != b && a != b, "the three tiles must differ");
    unsigned rows = amx_rows(acc), columns = amx_row_nbytes(acc) / 4, pairs = amx_row_nbytes(a) / 4;
    amx_demand(amx_rows(a) == rows && amx_rows(b) == pairs && amx_row_nbytes(b) == amx_row_nbytes(acc),
               "the shapes do not fit");
    for (unsigned m = 0; m < rows; m++)
        for (unsigned n = 0; n < columns; n++) {
            float chain[2] = {0, 0}, sum;
            for (unsigned k = 0; k < 2 * pairs; k++) {
                uint16_t x, w;
                memcpy(&x, &amx.tile[a][m][2 * k], 2);
                memcpy(&w, &amx.tile[b][k / 2][4 * n + 2 * (k % 2)], 2);
                chain[k % 2] = naive_bf16_fma(naive_bf16_widen(x), naive_bf16_widen(w), chain[k % 2]);
            }
            memcpy(&sum, &amx.tile[acc][m][4 * n], 4);
            sum = naive_bf16_fma(sum, 1, naive_bf16_fma(chain[0], 1, chain[1]));
            memcpy(&amx.tile[acc][m][4 * n], &sum, 4);
        }
    amx.products++;
}

/* An instruction c4 RXBmmmmm WvvvvLpp opcode modrm [sib] [displacement], all of AMX's being 0F38, W0 and L0. */
struct amx_instruction {
    unsigned prefix, opcode, reg, vvvv, mod, rm;
    const unsigned char *end;
    unsigned char *address; /* without the index */
    size_t index;
};

static size_t amx_register(const ucontext_t *context, unsigned number) {
    static const int names[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                  REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    return (size_t)context->uc_mcontext.gregs[names[number]];
}

static void amx_decode_address(const ucontext_t *context, unsigned x_bit, unsigned b_bit, struct amx_instruction *i) {
    size_t address = 0;
    unsigned base = i->rm;
    if (base == 4) {
        unsigned sib = *i->end++, index = (sib >> 3 & 7) | x_bit;
        base = sib & 7;
        if (index != 4) i->index = amx_register(context, index) << (sib >> 6);
        if (base == 5 && i->mod == 0) amx_demand(0, "an address without a base");
    } else if (base == 5 && i->mod == 0) {
        int32_t displacement;
        memcpy(&displacement, i->end, 4);
        i->end += 4;
        i->address = (unsigned char *)i->end + displacement;
        return;
    }
    address = amx_register(context, base | b_bit);
    if (i->mod == 1) address += (size_t)(signed char)*i->end++;
    if (i->mod == 2) {
        int32_t displacement;
        memcpy(&displacement, i->end, 4);
        i->end += 4;
        address += (size_t)displacement;
    }
    i->address = (unsigned char *)address;
}

static struct amx_instruction amx_decode(const ucontext_t *context) {
    const unsigned char *p = (const unsigned char *)context->uc_mcontext.gregs[REG_RIP];
    amx_demand(p[0] == 0xc4 && (p[1] & 0x1f) == 2 && (p[2] & 0x84) == 0, "an illegal instruction that is not AMX's");
    struct amx_instruction i = {
        .prefix = p[2] & 3, .opcode = p[3], .vvvv = ~(unsigned)p[2] >> 3 & 15, .mod = p[4] >> 6};
    i.reg = (p[4] >> 3 & 7) | (p[1] & 0x80 ? 0 : 8);
    i.rm = p[4] & 7;
    i.end = p + 5;
    if (i.mod != 3) amx_decode_address(context, p[1] & 0x40 ? 0 : 8, p[1] & 0x20 ? 0 : 8, &i);
    return i;
}

static void amx_execute(int signal_number, siginfo_t *info, void *argument) {
    (void)signal_number, (void)info;
    enum { NONE, P66, PF3, PF2 };
    ucontext_t *context = argument;
    struct amx_instruction i = amx_decode(context);
    amx.instructions++;
    if (i.opcode == 0x49 && i.prefix == NONE && i.mod == 3 && i.rm == 0 && i.reg == 0)
        memset(amx.config, 0, sizeof amx.config);
    else if (i.opcode == 0x49 && i.prefix == NONE && i.mod != 3 && i.reg == 0)
        amx_configure(i.address + i.index);
    else if (i.opcode == 0x4b && i.prefix == PF2 && i.mod != 3 && i.rm == 4)
        amx_load(i.reg, i.address, i.index);
    else if (i.opcode == 0x4b && i.prefix == PF3 && i.mod != 3 && i.rm == 4)
        amx_store(i.reg, i.address, i.index);
    else if (i.opcode == 0x5c && i.prefix == PF3 && i.mod == 3)
        amx_product(i.reg, i.rm, i.vvvv);
    else
        amx_demand(0, "an illegal instruction that it does not know");
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)i.end;
}

static void amx_emulate(void) {
    struct sigaction action = {.sa_sigaction = amx_execute, .sa_flags = SA_SIGINFO};
    amx_demand(sigaction(SIGILL, &action, NULL) == 0, "no handler");
}

#endif
