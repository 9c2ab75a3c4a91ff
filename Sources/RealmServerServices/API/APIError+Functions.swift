// SPDX-License-Identifier: Apache-2.0

// The errors of functions and of push messages, with their names for clients.

#if Server
extension APIError {
  package init(function error: FunctionError) {
    let text = "\(error)"
    switch error {
    case .unknown: self.init(404, "FunctionNotFound", text)
    case .notPermitted: self.init(403, "NoMatchingRuleFound", text)
    case .failed, .resultTooLarge: self.init(400, "FunctionExecutionError", text)
    case .broken:
      self.init(400, "FunctionExecutionError", "the function could not be asked", detail: text)
    case .tooLong: self.init(400, "ExecutionTimeLimitExceeded", text)
    case .busy: self = APIError(AccountError.busy)
    case .user(let cause): self = APIError(cause)
    }
  }

  package init(push error: PushError) {
    let text = "\(error)"
    switch error {
    case .unknownService: self.init(404, "ServiceNotFound", text)
    case .tooLarge: self.init(400, "InvalidParameter", text)
    case .broken:
      self.init(
        500, "InternalServerError", "the service for push messages could not be asked",
        detail: text)
    case .user(let cause): self = APIError(cause)
    }
  }
}
#endif
