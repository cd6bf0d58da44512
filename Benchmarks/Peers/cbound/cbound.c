// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// A bound, not a product: one thread, epoll, OpenSSL, SQLite (WAL), the refreshes of one epoll round in one transaction.
// PORT, DB, SYNC=NORMAL|FULL, ALG=HS256|ES256|EdDSA, NODB=1 (rotation in memory only: the HTTP + crypto share alone).
// gcc -O2 cbound.c -o cbound -lsqlite3 -lcrypto
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { HS, ES, ED } alg; static EVP_PKEY *pk; static unsigned char hk[32];
static EVP_MAC *mac; static EVP_MAC_CTX *mctx0;
static const char B[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"; static int8_t D[256];
static int b64(const unsigned char *s, int n, char *o) { char *w = o; int i = 0;
  for (; i + 2 < n; i += 3) { uint32_t v = s[i] << 16 | s[i + 1] << 8 | s[i + 2]; *w++ = B[v >> 18]; *w++ = B[v >> 12 & 63]; *w++ = B[v >> 6 & 63]; *w++ = B[v & 63]; }
  if (n - i == 1) { *w++ = B[s[i] >> 2]; *w++ = B[(s[i] & 3) << 4]; } else if (n - i == 2) { *w++ = B[s[i] >> 2]; *w++ = B[(s[i] & 3) << 4 | s[i + 1] >> 4]; *w++ = B[(s[i + 1] & 15) << 2]; }
  return w - o; }
static int ub64(const char *s, int n, unsigned char *o) { uint32_t a = 0; int bits = 0; unsigned char *w = o;
  for (int i = 0; i < n; i++) { int d = D[(unsigned char)s[i]]; if (d < 0) return -1; a = a << 6 | d; if ((bits += 6) >= 8) { bits -= 8; *w++ = a >> bits; } } return w - o; }
static int hmac(const char *m, int n, unsigned char *o) { size_t l; EVP_MAC_CTX *c = EVP_MAC_CTX_dup(mctx0); EVP_MAC_update(c, (void *)m, n); EVP_MAC_final(c, o, &l, 32); EVP_MAC_CTX_free(c); return 32; }
static int dosign(const char *m, int n, unsigned char *o) {
  if (alg == HS) return hmac(m, n, o);
  EVP_MD_CTX *c = EVP_MD_CTX_new(); unsigned char der[80]; size_t l = alg == ED ? 64 : sizeof der;
  EVP_DigestSignInit(c, NULL, alg == ED ? NULL : EVP_sha256(), NULL, pk); EVP_DigestSign(c, alg == ED ? o : der, &l, (void *)m, n); EVP_MD_CTX_free(c);
  if (alg == ED) return 64;
  const unsigned char *p = der; ECDSA_SIG *s = d2i_ECDSA_SIG(NULL, &p, l); BN_bn2binpad(ECDSA_SIG_get0_r(s), o, 32); BN_bn2binpad(ECDSA_SIG_get0_s(s), o + 32, 32); ECDSA_SIG_free(s); return 64;
}
static int doverify(const char *m, int n, const unsigned char *g, int gl) {
  if (alg == HS) { unsigned char o[32]; hmac(m, n, o); return gl == 32 && !CRYPTO_memcmp(o, g, 32); }
  if (gl != 64) return 0;
  EVP_MD_CTX *c = EVP_MD_CTX_new(); int r; unsigned char der[80]; size_t l = 64;
  EVP_DigestVerifyInit(c, NULL, alg == ED ? NULL : EVP_sha256(), NULL, pk);
  if (alg == ES) { ECDSA_SIG *s = ECDSA_SIG_new(); ECDSA_SIG_set0(s, BN_bin2bn(g, 32, NULL), BN_bin2bn(g + 32, 32, NULL)); unsigned char *p = der; l = i2d_ECDSA_SIG(s, &p); ECDSA_SIG_free(s); g = der; }
  r = EVP_DigestVerify(c, g, l, (void *)m, n) == 1; EVP_MD_CTX_free(c); return r;
}
typedef struct { int fd, ilen, op; char in[8192]; int olen; char out[4096]; char user[64]; int64_t sid; unsigned char sec[32]; } Conn;
static sqlite3 *db; static sqlite3_stmt *ins, *upd, *bg, *cm; static int intx, nodb; static char H[64]; static int Hl;
static Conn *pend[4096]; static int np;
static struct { unsigned char h[32]; char user[24]; } *mem; static int64_t nmem;
static void begin(void) { if (!intx && !nodb) { sqlite3_step(bg); sqlite3_reset(bg); intx = 1; } }
static char *val(Conn *c, char *b, const char *k, int *n) { char *p = strstr(b, k); if (!p) return NULL; p += strlen(k); while (*p && *p != ':') p++; while (*p && *p != '"') p++; if (!*p) return NULL; p++; char *q = strchr(p, '"'); if (!q) return NULL; *n = q - p; return p; }
static int json(Conn *c, const char *st, const char *b, int n) { return c->olen = sprintf(c->out, "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%.*s", st, n, n, b); }
static void issue(Conn *c) {
  char p[512], t[1024], body[2048]; unsigned char sg[64], r[16]; static unsigned char pool[4096]; static int pi = 4096; time_t now = time(NULL);
  if (pi + 16 > 4096) { RAND_bytes(pool, 4096); pi = 0; } memcpy(r, pool + pi, 16); pi += 16; char jti[24]; int jl = b64(r, 16, jti);
  int pl = sprintf(p, "{\"iss\":\"https://auth.example.com\",\"sub\":\"%s\",\"aud\":\"api\",\"iat\":%ld,\"exp\":%ld,\"jti\":\"%.*s\",\"sid\":\"%ld\"}", c->user, (long)now, (long)now + 900, jl, jti, (long)c->sid);
  memcpy(t, H, Hl); int n = Hl; t[n++] = '.'; n += b64((void *)p, pl, t + n); int sl = dosign(t, n, sg); t[n++] = '.'; n += b64(sg, sl, t + n);
  char rt[64]; int rl = b64(c->sec, 32, rt);
  int bl = sprintf(body, "{\"access_token\":\"%.*s\",\"refresh_token\":\"%ld.%.*s\",\"token_type\":\"Bearer\",\"expires_in\":900}", n, t, (long)c->sid, rl, rt);
  json(c, "200 OK", body, bl);
}
static void handle(Conn *c, char *body) {
  unsigned char h[32], nh[32]; int n; time_t now = time(NULL); c->op = 0;
  if (!strncmp(c->in, "GET /me", 7)) {
    char *a = strcasestr(c->in, "\nauthorization: bearer "); if (a) {
      a += 23; char *e = strchr(a, '\r'), *d1 = memchr(a, '.', e - a), *d2 = memrchr(a, '.', e - a);
      if (d1 && d2 > d1 && d1 - a == Hl && !memcmp(a, H, Hl)) {
        unsigned char g[128], p[1024]; int gl = e - d2 - 1 > 128 ? -1 : ub64(d2 + 1, e - d2 - 1, g), pl;
        if (gl > 0 && doverify(a, d2 - a, g, gl) && d2 - d1 < 1200 && (pl = ub64(d1 + 1, d2 - d1 - 1, p)) > 0) {
          p[pl] = 0; char *x = strstr((char *)p, "\"exp\":"); char *s = val(c, (char *)p, "\"sub\"", &n); if (x && s && atol(x + 6) > now) { char b[256]; int m = sprintf(b, "{\"sub\":\"%.*s\"}", n, s); json(c, "200 OK", b, m); return; }
        } } }
    json(c, "401 Unauthorized", "{}", 2); return;
  }
  if (!strncmp(c->in, "GET ", 4)) { json(c, "200 OK", "{\"ok\":true}", 11); return; }
  if (!strncmp(c->in, "POST /auth/login", 16)) {
    char *u = val(c, body, "\"username\"", &n); if (!u || n > 20) { json(c, "400 Bad Request", "{}", 2); return; }
    sprintf(c->user, "%.*s", n, u); RAND_bytes(c->sec, 32); SHA256(c->sec, 32, h);
    if (nodb) { if (nmem % 65536 == 0) mem = realloc(mem, (nmem + 65536) * sizeof *mem); memcpy(mem[nmem].h, h, 32); strcpy(mem[nmem].user, c->user); c->sid = nmem++; issue(c); return; }
    begin(); sqlite3_bind_text(ins, 1, c->user, -1, SQLITE_STATIC); sqlite3_bind_blob(ins, 2, h, 32, SQLITE_STATIC); sqlite3_bind_int64(ins, 3, now + 604800);
    sqlite3_step(ins); sqlite3_reset(ins); c->sid = sqlite3_last_insert_rowid(db); c->op = 1; return;
  }
  char *t = val(c, body, "\"refresh_token\"", &n), *d = t ? memchr(t, '.', n) : NULL; unsigned char old[64];
  if (!d || t + n - d - 1 > 43 || ub64(d + 1, t + n - d - 1, old) != 32) { json(c, "401 Unauthorized", "{}", 2); return; }
  c->sid = atoll(t); SHA256(old, 32, h); RAND_bytes(c->sec, 32); SHA256(c->sec, 32, nh);
  if (nodb) { if (c->sid < 0 || c->sid >= nmem || CRYPTO_memcmp(mem[c->sid].h, h, 32)) { json(c, "401 Unauthorized", "{}", 2); return; } memcpy(mem[c->sid].h, nh, 32); strcpy(c->user, mem[c->sid].user); issue(c); return; }
  begin(); sqlite3_bind_blob(upd, 1, nh, 32, SQLITE_STATIC); sqlite3_bind_int64(upd, 2, now + 604800); sqlite3_bind_int64(upd, 3, c->sid); sqlite3_bind_blob(upd, 4, h, 32, SQLITE_STATIC); sqlite3_bind_int64(upd, 5, now);
  if (sqlite3_step(upd) == SQLITE_ROW) { snprintf(c->user, 64, "%s", sqlite3_column_text(upd, 0)); c->op = 1; sqlite3_step(upd); } else json(c, "401 Unauthorized", "{}", 2);
  sqlite3_reset(upd);
}
static sqlite3_stmt *prep(const char *s) { sqlite3_stmt *t; if (sqlite3_prepare_v3(db, s, -1, SQLITE_PREPARE_PERSISTENT, &t, 0)) { fprintf(stderr, "%s\n", sqlite3_errmsg(db)); exit(1); } return t; }
int main(void) {
  char *e; alg = (e = getenv("ALG")) && !strcmp(e, "ES256") ? ES : e && !strcmp(e, "EdDSA") ? ED : HS; nodb = getenv("NODB") != NULL;
  memset(D, -1, 256); for (int i = 0; i < 64; i++) D[(unsigned char)B[i]] = i; RAND_bytes(hk, 32);
  mac = EVP_MAC_fetch(NULL, "HMAC", NULL); mctx0 = EVP_MAC_CTX_new(mac); OSSL_PARAM ps[] = { OSSL_PARAM_construct_utf8_string("digest", "SHA256", 0), OSSL_PARAM_construct_end() }; EVP_MAC_init(mctx0, hk, 32, ps);
  if (alg == ES) pk = EVP_EC_gen("P-256"); if (alg == ED) pk = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
  char hj[64]; int hl = sprintf(hj, "{\"alg\":\"%s\",\"typ\":\"JWT\"}", alg == HS ? "HS256" : alg == ES ? "ES256" : "EdDSA"); Hl = b64((void *)hj, hl, H);
  if (!nodb) { char q[200]; sqlite3_open((e = getenv("DB")) ? e : "cbound.db", &db); sprintf(q, "PRAGMA journal_mode=WAL; PRAGMA synchronous=%s", (e = getenv("SYNC")) ? e : "NORMAL"); sqlite3_exec(db, q, 0, 0, 0);
    sqlite3_exec(db, "CREATE TABLE IF NOT EXISTS session(id INTEGER PRIMARY KEY AUTOINCREMENT, user TEXT NOT NULL, secret BLOB NOT NULL, expires INTEGER NOT NULL)", 0, 0, 0);
    ins = prep("INSERT INTO session(user,secret,expires) VALUES(?,?,?)"); upd = prep("UPDATE session SET secret=?, expires=? WHERE id=? AND secret=? AND expires>? RETURNING user"); bg = prep("BEGIN IMMEDIATE"); cm = prep("COMMIT"); }
  signal(SIGPIPE, SIG_IGN); int l = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1; setsockopt(l, SOL_SOCKET, SO_REUSEADDR, &one, 4);
  struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(atoi((e = getenv("PORT")) ? e : "8080")), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  if (bind(l, (void *)&a, sizeof a) || listen(l, 1024)) { perror("listen"); return 1; }
  int ep = epoll_create1(0); struct epoll_event ev = { EPOLLIN, { .ptr = NULL } }, evs[1024]; epoll_ctl(ep, EPOLL_CTL_ADD, l, &ev);
  for (;;) {
    int n = epoll_wait(ep, evs, 1024, -1); np = 0;
    for (int i = 0; i < n; i++) {
      Conn *c = evs[i].data.ptr;
      if (!c) { int f; while ((f = accept4(l, 0, 0, SOCK_NONBLOCK)) >= 0) { setsockopt(f, IPPROTO_TCP, TCP_NODELAY, &one, 4); c = calloc(1, sizeof *c); c->fd = f; ev.data.ptr = c; ev.events = EPOLLIN; epoll_ctl(ep, EPOLL_CTL_ADD, f, &ev); } continue; }
      ssize_t r = recv(c->fd, c->in + c->ilen, sizeof c->in - 1 - c->ilen, 0);
      if (r <= 0) { if (r == 0 || errno != EAGAIN) { close(c->fd); free(c); } continue; }
      c->ilen += r; c->in[c->ilen] = 0; char *h = strstr(c->in, "\r\n\r\n"); if (!h) continue;
      char *cl = strcasestr(c->in, "\ncontent-length:"); int bl = cl && cl < h ? atoi(cl + 16) : 0; if (c->in + c->ilen < h + 4 + bl) continue;
      handle(c, h + 4); c->ilen = 0; pend[np++] = c;
    }
    if (intx) { if (sqlite3_step(cm) != SQLITE_DONE) { fprintf(stderr, "commit: %s\n", sqlite3_errmsg(db)); exit(1); } sqlite3_reset(cm); intx = 0; }
    for (int i = 0; i < np; i++) { Conn *c = pend[i]; if (c->op) issue(c); if (send(c->fd, c->out, c->olen, 0) != c->olen) { /* loopback, small: not handled */ } }
  }
}
