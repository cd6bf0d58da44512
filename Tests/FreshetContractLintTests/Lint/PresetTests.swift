// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import FreshetContract
@testable import FreshetContractLint

@Suite struct `Presets` {
    /// Every contract that comes with the SDK, where it is written.
    static let files: [String] = {
        let folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "../../../Sources/Client/FreshetKit/Contract/presets").standardized
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
        return names.filter { $0.hasSuffix(".json") }.sorted().map { folder.appending(path: $0).path() }
    }()

    @Test func `the SDK contains at least seven presets`() { #expect(Self.files.count >= 7) }

    @Test(arguments: files)
    func `every preset is decoded and has no lint errors`(file: String) throws {
        let document = try ContractDocument(reading: try Data(contentsOf: URL(filePath: file)))
        #expect(ContractLint.findings(in: document).filter { $0.severity == .error } == [])
        #expect(file.hasSuffix("/\(document.name).json"))
    }
}
