/* Expiry of a session at the server, with confirmed rotation and a database that loses its last commits.
 *
 * Time passes in ticks. Row: cur, bound (the client's intent is bound to cur), idle_end, ended; absolute_end is fixed at
 * login (ABS). A served refresh, also a repeated one, sets idle_end := min(now + IDLE, ABS). A request at or after
 * idle_end or ABS is answered with a final reason, and nothing is stored. Cleanup removes a row KEEP ticks after its end.
 *
 * Durable before the answer: login, logout, and a refresh that extends idle_end by more than X. Other commits reach the
 * disk within a tick, so a crash loses only those of the current tick.
 *
 * The clock may be untrusted for a while; it then reads J ticks too late. An answer that would be final because of such a
 * clock is 503 instead, idle_end is never moved back by it, and cleanup is paused.
 *
 * Messages are a bag, as in confirmed.pml. Properties, asserted after every step
 *   E1  a client that holds an answer with expiry e is not signed out before e - X, unless it logged out
 *   E2  no token is issued after a final answer, or after an answered logout
 *   E3  a removed row is never served again, also if lost commits bring it back
 * Ablations, each must yield a counter-example
 *   A_LAZYEXTEND  no extension of idle_end is durable (breaks E1)
 *   A_LAZYEND     a logout is answered before it is durable (breaks E2)
 *   A_TRUSTJUMP   an untrusted clock leads to final answers (breaks E1)
 *   A_CLEANJUMP   cleanup runs by an untrusted clock (breaks E1)
 *   A_NOABS       repeated refreshes extend a session beyond absolute_end (breaks E4: idle_end <= absolute_end)
 */
#ifndef MAXG
#define MAXG 3
#endif
#ifndef IDLE
#define IDLE 3
#endif
#ifndef ABS
#define ABS 7
#endif
#ifndef X
#define X 1
#endif
#define KEEP 1
#define J 4
#define TMAX 9

byte t; bool jump;                                  /* time; the clock is untrusted and reads t + J */
byte cur; bool bound, ended, gone; byte idle = IDLE; /* the row; gone: it was removed */
byte d_cur; bool d_bound, d_ended, d_gone; byte d_idle = IDLE;  /* the row on the disk */
byte dg; bool tomb, out;                            /* client: newest token, logout was requested, signed out */
byte promise = IDLE;                                /* client: expiry in the newest answer it holds */
bool q[MAXG+1], cf[MAXG+2], lo[MAXG+2], ok[MAXG+2]; /* messages */
byte pr[MAXG+2];                                    /* the latest expiry sent with T(g) */
bool over, removed;                                 /* ghosts: a final answer or a logout was answered; the row was removed */
byte n;

#define NOW (t + (jump -> J : 0))
#define PAST (NOW >= idle || NOW >= ABS)
#define SYNC d_cur = cur; d_bound = bound; d_ended = ended; d_gone = gone; d_idle = idle
#define SAVED (d_cur == cur && d_bound == bound && d_ended == ended && d_gone == gone && d_idle == idle)
#if defined(A_TRUSTJUMP)
#define MAYEND true
#else
#define MAYEND (!jump)
#endif
#if defined(A_CLEANJUMP)
#define MAYCLEAN true
#else
#define MAYCLEAN (!jump)
#endif
#if defined(A_NOABS)
#define LIMIT(e) (e)
#else
#define LIMIT(e) ((e) < ABS -> (e) : ABS)
#endif

inline inv() {
    assert(idle <= ABS);                                                        /* E4 */
    assert(tomb || t + X >= promise || (!gone && !ended && t < idle && !out))   /* E1 */
}
inline serve(g) {
    assert(!over); assert(!removed);                                            /* E2, E3 */
    n = LIMIT(NOW + IDLE);
    if :: jump && n < idle -> n = idle :: else -> skip fi;
    cur = g; bound = true; ok[g+1] = true;
    if
#if !defined(A_LAZYEXTEND)
    :: n > idle + X -> idle = n; SYNC
    :: n <= idle + X -> idle = n
#else
    :: idle = n
#endif
    fi;
    if :: n > pr[g+1] -> pr[g+1] = n :: else -> skip fi;
    n = 0; inv()
}
#define CLIENT(g) \
 :: d_step { dg == g && !tomb && !out && g < MAXG && !q[g] -> q[g] = true; printf("client: sends T%d\n", g) } \
 :: d_step { ok[g] && g > dg && !out && !tomb -> dg = g; if :: pr[g] > promise -> promise = pr[g] :: else -> skip fi; \
        printf("client: receives T%d, which expires at %d\n", g, pr[g]); inv() } \
 :: d_step { dg == g && g > 0 && !cf[g] && !tomb && !out -> cf[g] = true; printf("client: confirms T%d\n", g) } \
 :: d_step { dg == g && !tomb && !out -> tomb = true; lo[g] = true; printf("client: logs out with T%d\n", g) }
#define SERVER(g) \
 :: d_step { q[g] && !gone && !ended && !PAST && g >= cur -> printf("server: at %d, T%d accepted, T%d issued\n", t, g, g+1); serve(g) } \
 :: d_step { q[g] && (gone || ended || (PAST && MAYEND)) && !(over && out) -> over = true; \
        if :: dg == g && !tomb -> out = true :: else -> skip fi; \
        printf("server: at %d, T%d refused, the session is over\n", t, g); inv() } \
 CONFIRM(g)
#define CONFIRM(g) \
 :: d_step { cf[g] && !gone && !ended && !PAST && g > cur -> cur = g; bound = false; printf("server: receipt of T%d confirmed\n", g); inv() } \
 :: d_step { lo[g] && !ended && !gone -> ended = true; over = true; LOGOUT; printf("server: T%d logged out\n", g); inv() }
#if defined(A_LAZYEND)
#define LOGOUT skip
#else
#define LOGOUT SYNC
#endif

active proctype Sys() {
  do
  CLIENT(0) CLIENT(1) CLIENT(2) CLIENT(3)
  SERVER(0) SERVER(1) SERVER(2) CONFIRM(3)
  :: d_step { t < TMAX -> t = t + 1; SYNC; printf("time: %d\n", t); inv() }
  :: d_step { !jump && t < TMAX -> jump = true; printf("time: the clock is wrong, and known to be\n") }
  :: d_step { jump -> jump = false; printf("time: the clock is right again\n") }
  :: d_step { !gone && MAYCLEAN && (ended || NOW >= idle + KEEP || NOW >= ABS + KEEP) -> gone = true; removed = true;
        printf("database: at %d, cleanup removes the row\n", t); inv() }
  :: d_step { !SAVED -> SYNC }
  :: d_step { !SAVED -> cur = d_cur; bound = d_bound; ended = d_ended; gone = d_gone; idle = d_idle;
        printf("database: loses its last commits, idle_end is %d again\n", idle); inv() }
  :: timeout -> break
  od
}
