// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import HTTPTypes
import Testing

@testable import FreshetContractServer
@testable import FreshetServer

extension ServedContract {
    init(text: String, prefix: String = "") throws {
        self.init(try ContractDocument(reading: Array(text.utf8)), prefix: prefix)
    }
}

extension ServerUnderTest {
    func configuration(_ contracts: ServedContract...) -> ServerConfiguration {
        var configuration = configuration
        configuration.contracts = contracts
        return configuration
    }
}

extension TestHTTPClient {
    /// A contract's response: the status, and the texts at JSON pointers into its body.
    struct Reply: Sendable {
        var answer: Answer
        var json: JSONValue?

        var status: Int { answer.status }

        subscript(pointer: String) -> String? { JSONPointer(pointer).flatMap { json?.value(at: $0) }?.text }
    }

    func parse(_ answer: Answer) -> Reply { Reply(answer: answer, json: try? JSONParser.parse(answer.body)) }

    /// Posts JSON, and reads JSON.
    func post(_ path: String, json: String, bearer: String? = nil) async throws -> Reply {
        parse(try await send(.post, path, json, bearer: bearer))
    }

    /// Gets with an access token.
    func get(_ path: String, bearer: String?) async throws -> Reply {
        parse(try await send(.get, path, bearer: bearer, headers: [:]))
    }
}

extension JSONValue {
    fileprivate func value(at pointer: JSONPointer) -> JSONValue? { pointer.value(in: self) }
}
