// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
package import FreshetHTTP
import HTTPTypes
import Hummingbird

extension PageSite {
    /// Renders the errors at the site's paths as pages.
    package var errorPage: ErrorPage {
        ErrorPage(contains: { [self] in has($0) }, response: { [self] in answer($0, $1, $2, $3) })
    }

    /// The content of `message.mustache`.
    private struct Message: Sendable {
        var heading: String
        var text: String
        var requestID: String
        var next: String
    }

    /// Returns the page for an error, with the header fields that the error requires.
    func answer(_ error: any Error, _ api: APIError, _ request: Request, _ context: ServerRequestContext)
        -> Response
    {
        let problem = error as? PageError ?? PageError(api)
        let message = Message(
            heading: problem.heading,
            text: problem.text,
            requestID: context.id,
            next: problem.next ?? home
        )
        let page = Page("message", title: problem.heading, message, status: problem.status, isNarrow: true)
        guard var response = try? PageRequestContext(self, request, context).show(page) else {
            return Response.error(api, requestID: context.id)
        }
        for name in [HTTPField.Name.allow, .retryAfter] { response.headers[name] = api.headers[name] }
        return response
    }
}
