// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetAppBackends
import FreshetTesting
import Testing

/// A fake backend knows one password of each address, as real ones do.
@Suite struct `Passwords at a fake backend` {
    @Test(arguments: [
        (AppBackend.App.authservice, "/auth/login"), (.creatist, "/auth/login"), (.outbox, "/api/v1/auth/login"),
    ])
    func `a fake backend keeps the first password of an email address and refuses any other`(
        app: AppBackend.App,
        path: String
    ) throws {
        let caller = TestHTTPClient(app)
        func status(_ email: String, _ password: String) throws -> Int {
            try caller.post(path, ["email": email, "password": password]).status
        }
        #expect(try status("ann@example.com", AppBackend.wrongPassword) == 401)
        #expect(try status("ann@example.com", "first") == 200)
        #expect(try status("ann@example.com", "second") == 401)
        #expect(try status("ANN@example.com", "first") == 200)
        #expect(try status("bob@example.com", "second") == 200)
        #expect(try caller.post(path, ["email": "ann@example.com"]).status == 400)
        #expect(caller.backend.counts.logins == 3)
    }
}
