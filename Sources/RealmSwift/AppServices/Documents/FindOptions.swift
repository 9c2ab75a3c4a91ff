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

  /// The options of a search whose order has one property.
  @available(*, deprecated, message: "Use init(_:_:_:).")
  public convenience init(limit: Int?, projection: Document?, sort: Document?) {
    self.init(limit, projection, sort.map { [$0] } ?? [])
  }

  /// The first of the fields by which the result is sorted.
  @available(*, deprecated, renamed: "sorting")
  public var sort: Document? {
    get { sorting.first }
    set { sorting = newValue.map { [$0] } ?? [] }
  }
}
#endif
