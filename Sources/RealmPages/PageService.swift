// SPDX-License-Identifier: Apache-2.0

// What a page is about: the answers to its requests.

#if Tools || Server

/// Answers the requests of a page, as a function of values.
package protocol PageService: Sendable {
  /// Decides who gets answers.
  var access: PageGuard { get }

  /// The longest body of a request.
  var bodyByteCountMax: Int { get }

  /// The answer to a request that is allowed.
  func answer(_ request: PageRequest) async -> PageResponse

  /// The answer to a request that is not allowed, or too large.
  func refuse(_ request: PageRequest, _ failure: PageFailure) -> PageResponse
}

extension PageService {
  /// Why a request gets no answer, whatever is in its body; nil if it gets one.
  package func refusal(of request: PageRequest) -> PageResponse? {
    do throws(PageFailure) {
      try access.check(request)
      return nil
    } catch {
      return refuse(request, error)
    }
  }

  /// Answers a request.
  package func respond(to request: PageRequest) async -> PageResponse {
    if let refusal = refusal(of: request) { return refusal }
    guard request.body.count <= bodyByteCountMax else { return tooLarge(request) }
    return await answer(request)
  }

  /// The answer to a request whose body is too large.
  package func tooLarge(_ request: PageRequest) -> PageResponse {
    refuse(request, PageFailure(413, "The request has more than \(bodyByteCountMax) bytes."))
  }
}
#endif
