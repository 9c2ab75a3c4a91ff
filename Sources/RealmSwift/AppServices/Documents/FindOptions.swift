// SPDX-License-Identifier: Apache-2.0

// How documents are found.

#if Sync
/// The options of `MongoCollection.find(filter:options:)`.
public final class FindOptions {
  /// The largest number of documents; 0 for all.
  public var limit: Int
  /// The fields of the result; nil for all.
  public var projection: Document?
  /// The fields by which the result is sorted, and their directions.
  public var sorting: [Document]

  /// The options of a search.
  public init(_ limit: Int? = nil, _ projection: Document? = nil, _ sorting: [Document] = []) {
    self.limit = limit ?? 0
    self.projection = projection
    self.sorting = sorting
  }
}
#endif
