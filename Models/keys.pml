/* Rotation of the MAC keys of refresh tokens, on two servers with one key schedule and one database.
 *
 * Key 1 is in use; key 2 is added at some time, used from promo_at = added + DELAY, and key 1, superseded then, may be
 * retired. A server knows the schedule of its last reload; every server reloads at least once a tick, and DELAY is two
 * ticks, so that it is longer than any server's view is old. A server makes tokens with the key that is current in its
 * view, and knows the keys of its view.
 *
 * A session is opened on either server at any time (T0). Row: cur, bound, kid (successor_kid, the key of the successor).
 * A bound row answers a repeated request with the same successor: under kid. Key 1 is retired if it was superseded at
 * least DELAY ago, and no live session was opened before that (created < promo_at + DELAY).
 *
 * FAILOVER: the row may fall back to any earlier state (the row of a login is durable).
 *
 * Properties
 *   K1  no server refuses a client's token because its key is unknown there or retired
 *   K2  a successor that is issued again has the same key, and so the same bytes (not asserted with FAILOVER: a bind that
 *       was lost may be repeated under the next key)
 * Ablations, each must yield a counter-example
 *   A_NODELAY     the new key is used as soon as it is added
 *   A_RETIREUSED  the old key is retired while a session may present a token made with it
 *   A_RETIREEARLY the old key is retired as soon as no session is open, although a server may still use it for a new one
 *   A_CURRENTKEY  a successor is made again with the current key of the server instead of kid
 */
#define DELAY 2
#define TMAX 7
#define MAXG 2

byte t;
bool added, removed1; byte added_at, promo_at;      /* the schedule; key 1 was removed and recorded as retired */
bool has2[2], ret1[2], fresh[2];                    /* a server's view; fresh: reloaded in this tick */
byte use[2] = 1;                                    /* the key that is current in it */
bool open, live; byte created, cur, kid; bool bound; /* the session and its row */
#ifdef FAILOVER
byte d_cur, d_kid; bool d_bound;
#endif
bool tok[(MAXG+1)*3];                               /* T(g) under key k was issued: tok[g*3 + k] */
byte dg, dk;                                        /* the client's newest token */
byte m;
byte first[MAXG+1];                                 /* ghost: the key under which T(g) was issued first */

#if defined(A_NODELAY)
#define AHEAD 0
#else
#define AHEAD DELAY
#endif
#define SUPERSEDED (added && t >= promo_at)
#if defined(A_RETIREUSED)
#define NEEDED false
#elif defined(A_RETIREEARLY)
#define NEEDED (live && created < promo_at + DELAY)
#else
#define NEEDED (t < promo_at + DELAY || (live && created < promo_at + DELAY))
#endif
#define KNOWN(s, k) (((k) == 1 && !ret1[s]) || ((k) == 2 && has2[s]))
/* the key that server s makes the successor with: kid, or its own if it lacks that one */
#if defined(A_CURRENTKEY)
#define MAKES(s) use[s]
#else
#define MAKES(s) (KNOWN(s, kid) -> kid : use[s])
#endif

inline issue(g, k) {
    tok[g*3 + k] = true;
#ifndef FAILOVER
    assert(first[g] == 0 || first[g] == k);
#endif
    first[g] = k
}
#define PRESENT(s, g) \
 :: d_step { open && live && dg == g && g < MAXG -> \
        printf("server %d: at %d, T%d under key %d presented\n", s, t, g, dk); \
        if \
        :: !KNOWN(s, dk) -> printf("server %d: key %d is unknown or retired, T%d refused\n", s, dk, g); assert(false) \
        :: else -> skip \
        fi; \
        if \
        :: g > cur || (g == cur && !bound) -> cur = g; bound = true; kid = use[s]; issue(g+1, kid); printf("server %d: T%d issued under key %d\n", s, g+1, kid) \
        :: g == cur && bound -> m = MAKES(s); issue(g+1, m); printf("server %d: T%d issued again under key %d\n", s, g+1, m) \
        :: else -> skip \
        fi }
#define RECEIVE(g, k) \
 :: d_step { tok[g*3 + k] && g > dg -> dg = g; dk = k; printf("client: receives T%d under key %d\n", g, k) }
#define SERVER(s) \
 :: d_step { has2[s] = added; ret1[s] = removed1; if :: SUPERSEDED -> use[s] = 2 :: else -> skip fi; fresh[s] = true; \
        printf("server %d: reloads its keys, key %d is current\n", s, use[s]) } \
 :: d_step { !open -> open = true; live = true; created = t; kid = use[s]; dk = kid; tok[kid] = true; first[0] = kid; LOGIN \
        printf("server %d: at %d, a session opens with T0 under key %d\n", s, t, kid) } \
 PRESENT(s, 0) PRESENT(s, 1)
#ifdef FAILOVER
#define LOGIN d_cur = cur; d_kid = kid; d_bound = bound;
#else
#define LOGIN
#endif

active proctype Sys() {
  do
  SERVER(0) SERVER(1)
  RECEIVE(1, 1) RECEIVE(1, 2) RECEIVE(2, 1) RECEIVE(2, 2)
  :: d_step { t < TMAX && fresh[0] && fresh[1] -> t = t + 1; fresh[0] = false; fresh[1] = false; printf("time: %d\n", t) }
  :: d_step { !added -> added = true; added_at = t; promo_at = t + AHEAD; printf("operator: at %d, key 2 is added, to be used from %d\n", t, promo_at) }
  :: d_step { SUPERSEDED && !removed1 && !NEEDED -> removed1 = true; printf("operator: at %d, key 1 is retired\n", t) }
  :: d_step { open && live -> live = false; printf("client: logs out\n") }
#ifdef FAILOVER
  :: d_step { open && (d_cur != cur || d_kid != kid || d_bound != bound) -> d_cur = cur; d_kid = kid; d_bound = bound }
  :: d_step { open && (d_cur != cur || d_kid != kid || d_bound != bound) -> cur = d_cur; kid = d_kid; bound = d_bound; printf("database: loses its last commits, back at cur=%d\n", cur) }
#endif
  :: timeout -> break
  od
}
