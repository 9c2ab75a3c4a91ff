// SPDX-License-Identifier: Apache-2.0

// The codes of errors of calls.

#if Server
import RealmSwift

extension AppError {
  /// The code of the error of a call; nil for none, and for errors of another kind.
  static func code<R>(_ call: () async throws -> R) async -> Code? {
    do {
      _ = try await call()
      return nil
    } catch {
      return (error as? AppError)?.code
    }
  }
}
#endif
