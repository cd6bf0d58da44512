// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A request whose host or target NIO accepts and RFC 9112 section 3.2 or RFC 9113 section 8.3.1 does not.
struct InvalidRequestError: Error {}
