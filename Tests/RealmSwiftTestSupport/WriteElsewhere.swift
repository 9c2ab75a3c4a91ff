// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RealmSwift

/// Writes to a realm from a thread of its own, as another part of the program would.
package func writeElsewhere(
  _ configuration: Realm.Configuration, _ body: @escaping @Sendable (Realm) throws -> Void
) async throws {
  try await withCheckedThrowingContinuation { continuation in
    Thread {
      continuation.resume(
        with: Result {
          let realm = try Realm(configuration: configuration)
          try realm.write { try body(realm) }
        })
    }.start()
  }
}
