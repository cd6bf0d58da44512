// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// libcurl's options are variadic, which Swift cannot call: one mail is one function here.

#ifndef FRESHET_CCURL_H
#define FRESHET_CCURL_H

#include <curl/curl.h>
#include <string.h>

typedef struct {
    /// smtp://host:port or smtps://host:port, with our own name as its path.
    const char *url;
    /// NULL: no authentication.
    const char *user;
    const char *password;
    const char *sender;
    const char *recipient;
    const char *message;
    size_t length;
    /// Whether a connection without TLS, from the start or by STARTTLS, is given up.
    int needs_tls;
    /// NULL: the system's authorities.
    const char *authorities;
    long connect_milliseconds;
    long total_milliseconds;
} freshet_mail;

typedef struct {
    CURLcode code;
    /// The server's last reply; 0 if there was none.
    long reply;
    /// How far a mail's transaction came.
    int stage;
    /// The last line of the server's last reply that refused a command, without its end; empty if there was none.
    char refusal[256];
} freshet_mail_result;

enum {
    /// No command of the transaction was sent: what fails here has nothing to do with the mail.
    freshet_mail_stage_connection = 0,
    /// MAIL was sent, which names the sender alone.
    freshet_mail_stage_sender = 1,
    /// RCPT was sent, or more.
    freshet_mail_stage_recipient = 2
};

/// Records how far a transaction came by the commands that libcurl sends, and refusals; prints nothing.
static int freshet_mail_trace(CURL *curl, curl_infotype type, char *data, size_t size, void *context) {
    freshet_mail_result *result = (freshet_mail_result *)context;
    int *stage = &result->stage;
    (void)curl;
    if (type == CURLINFO_HEADER_IN && size > 3 && (data[0] == '4' || data[0] == '5')) {
        size_t length = 0;
        while (length < size && length + 1 < sizeof result->refusal && data[length] != '\r' && data[length] != '\n') length++;
        memcpy(result->refusal, data, length);
        result->refusal[length] = 0;
    }
    if (type != CURLINFO_HEADER_OUT || size < 5) return 0;
    if (*stage == freshet_mail_stage_connection && memcmp(data, "MAIL ", 5) == 0) *stage = freshet_mail_stage_sender;
    if (*stage == freshet_mail_stage_sender && memcmp(data, "RCPT ", 5) == 0) *stage = freshet_mail_stage_recipient;
    return 0;
}

typedef struct {
    const char *next;
    size_t left;
} freshet_mail_rest;

static size_t freshet_mail_read(char *buffer, size_t size, size_t count, void *context) {
    freshet_mail_rest *rest = (freshet_mail_rest *)context;
    size_t room = size * count;
    size_t length = rest->left < room ? rest->left : room;
    memcpy(buffer, rest->next, length);
    rest->next += length;
    rest->left -= length;
    return length;
}

/// Delivers a mail and waits for the server's word.
static inline freshet_mail_result freshet_mail_deliver(const freshet_mail *mail) {
    freshet_mail_result result = {CURLE_OUT_OF_MEMORY, 0, freshet_mail_stage_connection, ""};
    freshet_mail_rest rest = {mail->message, mail->length};
    CURL *curl = curl_easy_init();
    struct curl_slist *recipients = curl_slist_append(NULL, mail->recipient);
    if (curl && recipients) {
        curl_easy_setopt(curl, CURLOPT_URL, mail->url);
        // Nothing in the environment decides where a mail goes.
        curl_easy_setopt(curl, CURLOPT_PROXY, "");
        curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
        // No signal for the time limits: other threads are at work.
        curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, mail->connect_milliseconds);
        curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, mail->total_milliseconds);
        curl_easy_setopt(curl, CURLOPT_SERVER_RESPONSE_TIMEOUT, mail->total_milliseconds / 1000 + 1);
        curl_easy_setopt(curl, CURLOPT_USE_SSL, (long)(mail->needs_tls ? CURLUSESSL_ALL : CURLUSESSL_NONE));
        curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
        if (mail->authorities) curl_easy_setopt(curl, CURLOPT_CAINFO, mail->authorities);
        if (mail->user) curl_easy_setopt(curl, CURLOPT_USERNAME, mail->user);
        if (mail->password) curl_easy_setopt(curl, CURLOPT_PASSWORD, mail->password);
        curl_easy_setopt(curl, CURLOPT_MAIL_FROM, mail->sender);
        curl_easy_setopt(curl, CURLOPT_MAIL_RCPT, recipients);
        curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(curl, CURLOPT_READFUNCTION, freshet_mail_read);
        curl_easy_setopt(curl, CURLOPT_READDATA, &rest);
        curl_easy_setopt(curl, CURLOPT_DEBUGFUNCTION, freshet_mail_trace);
        curl_easy_setopt(curl, CURLOPT_DEBUGDATA, &result);
        curl_easy_setopt(curl, CURLOPT_VERBOSE, 1L);
        result.code = curl_easy_perform(curl);
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &result.reply);
    }
    curl_slist_free_all(recipients);
    curl_easy_cleanup(curl);
    return result;
}

/// To be called once, before any thread delivers.
static inline void freshet_mail_prepare(void) { curl_global_init(CURL_GLOBAL_DEFAULT); }

#endif
