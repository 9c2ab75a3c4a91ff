// SPDX-License-Identifier: Apache-2.0

// The errors of calls about documents, with the names that clients know.

#if Server
import RealmServerEngine

extension APIError {
  package init(call error: DocumentError) {
    let text = "\(error)"
    switch error {
    case .unsupported, .failed, .duplicate: self.init(400, "MongoDBError", text)
    case .missing(let name): self = .missing(name)
    case .badArgument: self.init(400, "InvalidParameter", text)
    case .schema: self.init(400, "SchemaValidationFailedWrite", text)
    case .notPermitted: self.init(403, "NoMatchingRuleFound", text)
    case .unknownCollection: self.init(404, "NoMatchingRuleFound", text)
    case .tooLarge: self.init(400, "ReadSizeLimitExceeded", text)
    case .tooLong: self.init(400, "ExecutionTimeLimitExceeded", text)
    case .busy: self = APIError(AccountError.busy)
    case .resumeLost: self.init(400, "MongoDBError", text)
    case .store(.tooManyNewRealms), .store(.tooManyOpenRealms):
      self.init(503, "InternalServerError", "the server has too many realms open, or new ones")
    case .store(let cause): self = APIError(AccountError.store(cause))
    }
  }
}
#endif
