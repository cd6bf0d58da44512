// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// snippet.hide
import Foundation
import FreshetKit

guard let server = URL(string: CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080") else { exit(64) }
let folder = FileManager.default.temporaryDirectory.appending(path: "import-from-file")
// snippet.show
/// The files of an older version: the name of an item is the name of a file.
struct TokenFiles: LegacyTokenSource {
    let folder: URL

    func text(of item: LegacyItem) throws(SessionStoreError) -> String? {
        do {
            return try String(contentsOf: folder.appending(path: item.key), encoding: .utf8)
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch {
            throw SessionStoreError(.failed, "the old tokens cannot be read")
        }
    }

    func remove(_ item: LegacyItem) throws(SessionStoreError) {
        do { try FileManager.default.removeItem(at: folder.appending(path: item.key)) } catch {
            throw SessionStoreError(.failed, "the old tokens cannot be removed")
        }
    }
}

// tokens.json is {"access": "…", "refresh": "…", "expiry": 1798761600}.
let location = LegacyTokenLocation(
    access: .init("tokens.json", at: "access"),
    refresh: .init("tokens.json", at: "refresh"),
    expiresAt: .seconds(.init("tokens.json", at: "expiry"))
)
let session = try AuthSession(
    contract: .simplejwt.importing(location),
    baseURL: server,
    store: FileStore(directory: folder.appending(path: "session"), name: "default")
)
try await session.importSession(from: TokenFiles(folder: folder))
// snippet.hide
print(session.state, session.status.isRenewable)
