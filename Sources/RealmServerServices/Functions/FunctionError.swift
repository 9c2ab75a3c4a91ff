// SPDX-License-Identifier: Apache-2.0

// The failures of calls of functions.

#if Server
/// A call of a function without a result.
package enum FunctionError: Error, Hashable, Sendable {
  /// The app has no such function, or none for clients.
  case unknown(String)
  /// The user may not call the function.
  case notPermitted(String)
  /// The function says so itself, in words for the caller.
  case failed(String)
  /// The function could not be asked, or has no proper answer: in words for the operator.
  case broken(String)
  case tooLong
  case resultTooLarge
  /// Too many calls run already.
  case busy
  /// The user cannot be looked up.
  case user(AccountError)
}

extension FunctionError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknown(let name): "function not found: '\(name)'"
    case .notPermitted(let name): "the user may not call the function '\(name)'"
    case .failed(let text), .broken(let text): text
    case .tooLong: "the function did not end in its time"
    case .resultTooLarge:
      "the result is larger than \(FunctionLimits.resultByteCountMax >> 20) MiB"
    case .busy: "too many functions run already"
    case .user(let error): "the user cannot be looked up: \(error)"
    }
  }
}
#endif
