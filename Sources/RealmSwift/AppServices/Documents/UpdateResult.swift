// SPDX-License-Identifier: Apache-2.0

// What an update has done.

#if Sync
/// The result of an update of documents.
public struct UpdateResult: Sendable {
  /// The number of documents that matched.
  public let matchedCount: Int
  /// The number of documents that are different now.
  public let modifiedCount: Int
  /// The id of the document that was made, if none matched.
  public let documentId: AnyBSON?
}
#endif
