// SPDX-License-Identifier: Apache-2.0

// Where the custom data of users comes from, if not from the operator.

#if Server
package import RealmFormats
package import RealmServerEngine

/// Finds the custom data of the users of an app.
package protocol CustomDataSource: Sendable {
  /// The custom data of a user; nil for none.
  ///
  /// - Parameter given: The data from the operator.
  func data(of user: String, given: BSONValue?) async throws(StoreError) -> BSONValue?
}
#endif
