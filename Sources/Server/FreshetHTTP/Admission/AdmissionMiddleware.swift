// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import Hummingbird

/// Refuses requests beyond the server's limits; liveness checks are always admitted.
package struct AdmissionMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    let admission: AdmissionController

    package init(admission: AdmissionController) {
        self.admission = admission
    }

    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        if request.uri.path == NativePath.live { return try await next(request, context) }
        try admission.beginRequest()
        defer { admission.endRequest() }
        return try await next(request, context)
    }
}
