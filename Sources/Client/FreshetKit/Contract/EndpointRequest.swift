// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension Endpoint {
    /// Returns the request to this endpoint, with all values filled in.
    ///
    /// - Parameters:
    ///   - baseURL: The backend's base URL.
    ///   - values: The values of the template's names.
    ///   - free: The names whose values the app's developer chose, and whose values may therefore span several path
    ///     segments.
    /// - Returns: A complete request, except for the access token, if the endpoint carries it like requests of the app.
    /// - Throws: ``ContractFault`` that names a value which is missing or not valid in its place.
    func request(
        to baseURL: URL,
        _ values: TemplateValues,
        free: Set<String> = []
    ) throws(ContractFault) -> URLRequest {
        do {
            var request = URLRequest(url: try url(baseURL, values, free))
            request.httpMethod = method
            request.setHeader("application/json", for: "Accept")
            try setBody(of: &request, values)
            for header in headers {
                guard let value = try header.template.text(values) else { continue }
                request.setHeader(try Self.validated(value, header.name), for: header.name)
            }
            if let basic {
                let pair = "\(try basic.user.text(values) ?? ""):\(try basic.password.text(values) ?? "")"
                request.setHeader("Basic \(Data(pair.utf8).base64EncodedString())", for: "Authorization")
            }
            var pairs: [String] = []
            for cookie in cookies {
                guard let value = try cookie.template.text(values) else { continue }
                pairs.append("\(cookie.name)=\(try Self.validated(value, cookie.name))")
            }
            if !pairs.isEmpty { request.setHeader(pairs.joined(separator: "; "), for: "Cookie") }
            return request
        } catch let fault as ContractFault {
            throw fault
        } catch let missing as MissingValue {
            throw ContractFault("there is no value for '\(missing.name)'")
        } catch {
            throw ContractFault("the request cannot be made")
        }
    }

    private func url(_ baseURL: URL, _ values: TemplateValues, _ free: Set<String>) throws -> URL {
        let base = baseURL.absoluteString
        var path = ""
        for part in self.path.parts {
            switch part {
            case .text(let text): path += text
            case .value(let name):
                guard let value = values[name]?.text else { throw MissingValue(name: name) }
                path += free.contains(name) ? value : Self.escapedSegment(value)
            }
        }
        var text = (base.hasSuffix("/") ? String(base.dropLast()) : base) + path
        var fields: [(name: String, value: String)] = []
        for item in query { if let value = try item.template.text(values) { fields.append((item.name, value)) } }
        if !fields.isEmpty { text += "?" + URLEncodedForm.encode(fields) }
        guard let url = URL(string: text) else { throw ContractFault("the base URL and '\(path)' do not form a URL") }
        return url
    }

    private func setBody(of request: inout URLRequest, _ values: TemplateValues) throws {
        switch body {
        case .none:
            // A POST without a body is sent with a content length of 0; otherwise some servers wait for a body.
            if method != "GET", method != "HEAD" { request.httpBody = Data() }
        case .json(let template):
            request.httpBody = Data((try template.value(values) ?? .object(JSONObject())).jsonText.utf8)
            request.setHeader(contentType ?? "application/json", for: "Content-Type")
        case .form(let fields):
            var pairs: [(name: String, value: String)] = []
            for field in fields { if let value = try field.template.text(values) { pairs.append((field.name, value)) } }
            request.httpBody = Data(URLEncodedForm.encode(pairs).utf8)
            request.setHeader(contentType ?? "application/x-www-form-urlencoded", for: "Content-Type")
        }
    }

    /// Escapes a value as one path segment, without separators or dot segments.
    private static func escapedSegment(_ value: String) -> String {
        let escaped = value.addingPercentEncoding(withAllowedCharacters: segmentCharacters) ?? ""
        return escaped == "." || escaped == ".." ? escaped.replacing(".", with: "%2E") : escaped
    }

    private static let segmentCharacters = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
    )

    /// Rejects characters that could end a header field (RFC 9110 section 5.5).
    private static func validated(_ value: String, _ name: String) throws(ContractFault) -> String {
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw ContractFault("the value for '\(name)' has characters that are not allowed in a header")
        }
        return value
    }
}
