// SPDX-License-Identifier: Apache-2.0

// The documents in memory.

#if Server
/// Documents for one group of transactions.
struct PendingDocuments {
  private let options: ImportOptions
  private(set) var documents: [DumpDocument] = []
  private var byteCount = 0

  init(_ options: ImportOptions) { self.options = options }

  var count: Int { documents.count }

  var isFull: Bool { byteCount >= options.groupByteCount || count >= options.groupCount }

  mutating func append(_ document: DumpDocument) {
    documents.append(document)
    byteCount += document.byteCount
  }
}
#endif
