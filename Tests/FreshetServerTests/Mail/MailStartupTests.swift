// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import Testing

@testable import FreshetMail
@testable import FreshetServer

@Suite struct `Mail` {
    @Test func `an incomplete or insecure mail configuration fails validation`() throws {
        let server = ServerUnderTest()
        func fault(_ mail: MailConfiguration) -> String? {
            var configuration = server.configuration
            configuration.mail = mail
            do { try configuration.validate() } catch { return "\(error)" }
            return nil
        }
        var smtp = try #require(SMTPServer(url: "smtp://mail.example.com"))
        #expect(fault(MailConfiguration(.smtp(smtp)))?.contains("mail needs a sender's address") == true)
        #expect(fault(MailConfiguration(.smtp(smtp), sender: "a@b\r\nBcc: c@d"))?.contains("address") == true)
        #expect(fault(MailConfiguration(.smtp(smtp), sender: "a@b")) == nil)
        smtp.user = "ann"
        #expect(fault(MailConfiguration(.smtp(smtp), sender: "a@b"))?.contains("both") == true)
        smtp.password = "S3CR3T"
        smtp.security = .none
        #expect(fault(MailConfiguration(.smtp(smtp), sender: "a@b"))?.contains("without TLS") == true)
        #expect(fault(MailConfiguration(.sendmail(path: "sendmail"), sender: "a@b"))?.contains("absolute") == true)
        for url in ["smtp://", "http://a", "smtp://u:p@a", "smtp://a/b", "smtp://a:0", "a"] {
            #expect(SMTPServer(url: url) == nil)
        }
        #expect(!"\(smtp)".contains("S3CR3T"))
    }
}
