// SPDX-License-Identifier: Apache-2.0

// Writing the pages of the image that changed.
//
// The entries of all pages go first and are made durable, then the pages, then the page with the
// header: three syncs a commit. Large commits are cut into batches, so that the encrypted pages of
// one batch are all the memory they need.

extension EncryptedFile {
  private static let batchPageCount = 8192

  /// Forgets which pages changed: their transaction failed, and no version reaches what it wrote.
  func forgetUnflushed() { state.withLock { $0.dirty.removeAll() } }

  /// Writes what changed. The caller holds the writer lock, or is alone with the file.
  func flush(_ state: inout State) throws(StorageError) {
    var rest = state.dirty.pages[...]
    let header = rest.first == 0 ? rest.popFirst() : nil
    repeat {
      var batch = Array(rest.prefix(Self.batchPageCount))
      rest = rest.dropFirst(batch.count)
      // The header's entry can be durable together with the last others.
      if rest.isEmpty, let header { batch.insert(header, at: 0) }
      try write(batch, &state)
    } while !rest.isEmpty
    try file.sync()
    state.dirty.removeAll()
  }

  /// Writes the entries of some pages, makes them durable, and writes the pages.
  private func write(_ pages: [Int], _ state: inout State) throws(StorageError) {
    guard !pages.isEmpty else { return }
    let pageByteCount = EncryptedLayout.pageByteCount
    let bytes = UnsafeMutableRawPointer.allocate(
      byteCount: pages.count * pageByteCount, alignment: 16)
    defer { unsafe bytes.deallocate() }
    var marks: [SIMD4<UInt32>] = []
    marks.reserveCapacity(pages.count)
    var start = 0
    while start < pages.count {
      let block = pages[start] / EncryptedLayout.pagesPerBlock
      let end =
        pages[start...].firstIndex { $0 / EncryptedLayout.pagesPerBlock != block } ?? pages.count
      try unsafe encrypt(
        pages[start..<end], of: block, to: bytes + start * pageByteCount, &state, &marks)
      start = end
    }
    try file.sync()
    try unsafe write(pages, from: bytes)
    for (page, mark) in zip(pages, marks) { state.marks[page] = mark }
  }

  /// Encrypts pages of one block, and writes their entries.
  private func encrypt(
    _ pages: ArraySlice<Int>, of block: Int, to target: UnsafeMutableRawPointer,
    _ state: inout State, _ marks: inout [SIMD4<UInt32>]
  ) throws(StorageError) {
    guard let base = unsafe state.base, let first = pages.first, let last = pages.last else {
      return
    }
    let pageByteCount = EncryptedLayout.pageByteCount
    let entries = unsafe state.block.entries
    let position = EncryptedLayout.position(ofBlock: block)
    try unsafe file.readWhole(pageByteCount, at: position, into: entries)
    for (index, page) in pages.enumerated() {
      let address = unsafe entries + page % EncryptedLayout.pagesPerBlock * PageEntry.byteCount
      let old = unsafe PageEntry(at: address)
      let stamp = try durableStamp(of: page, old, state)
      let bytes = unsafe target + index * pageByteCount
      var new = old.current
      repeat {
        new.counter = new.nextCounter
        unsafe bytes.copyMemory(from: base + page * pageByteCount, byteCount: pageByteCount)
        try unsafe cipher.encrypt(bytes, number: page, counter: new.counter)
        new.code = unsafe cipher.code(of: bytes)
      } while new.code == stamp.code
      unsafe PageEntry(current: new, previous: stamp).store(to: address)
      marks.append(new.mark)
    }
    let start = first % EncryptedLayout.pagesPerBlock * PageEntry.byteCount
    let count = (last - first + 1) * PageEntry.byteCount
    try unsafe file.write(
      UnsafeRawBufferPointer(start: entries + start, count: count), at: position + start)
  }

  /// The stamp of what the file has of a page now: the current one of its entry, unless a writer
  /// died before it wrote the page.
  private func durableStamp(
    of page: Int, _ entry: PageEntry, _ state: State
  ) throws(StorageError) -> PageStamp {
    if entry.current.mark == state.marks[page] || entry.current.counter == 0 {
      return entry.current
    }
    let bytes = unsafe state.block.pages
    try unsafe file.readWhole(
      EncryptedLayout.pageByteCount, at: EncryptedLayout.position(ofPage: page), into: bytes)
    return unsafe entry.stamp(of: cipher.code(of: bytes)) ?? entry.current
  }

  /// Writes encrypted pages that stand one after the other in memory; the header when the others
  /// are durable.
  private func write(_ pages: [Int], from bytes: UnsafeMutableRawPointer) throws(StorageError) {
    let pageByteCount = EncryptedLayout.pageByteCount
    func write(_ indices: Range<Int>) throws(StorageError) {
      try unsafe file.write(
        UnsafeRawBufferPointer(
          start: bytes + indices.lowerBound * pageByteCount, count: indices.count * pageByteCount),
        at: EncryptedLayout.position(ofPage: pages[indices.lowerBound]))
    }
    let hasHeader = pages[0] == 0
    var start = hasHeader ? 1 : 0
    while start < pages.count {
      var end = start + 1
      while end < pages.count,
        EncryptedLayout.position(ofPage: pages[end])
          == EncryptedLayout.position(ofPage: pages[end - 1]) + pageByteCount
      {
        end += 1
      }
      try write(start..<end)
      start = end
    }
    guard hasHeader else { return }
    if pages.count > 1 { try file.sync() }
    try write(0..<1)
  }

  // MARK: New files

  /// Whether a file holds nothing: it is empty, or making an encrypted one was interrupted.
  private func isUnused() throws(StorageError) -> Bool {
    let pageByteCount = EncryptedLayout.pageByteCount
    let byteCount = try file.byteCount()
    guard byteCount <= 2 * pageByteCount else { return false }
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: 2 * pageByteCount, alignment: 16)
    defer { unsafe buffer.deallocate() }
    guard let address = buffer.baseAddress else { return false }
    try unsafe file.readWhole(buffer.count, at: 0, into: address)
    let entry = unsafe PageEntry(at: address)
    return unsafe entry.previous == .none && buffer[PageEntry.byteCount...].allSatisfy { $0 == 0 }
      && (entry.current.counter != 0 || entry.current == .none)
      && !holdsPlainHeader(UnsafeRawBufferPointer(buffer))
  }

  /// Gives a new file the page that holds the header.
  ///
  /// A crash in here leaves an empty file, or an entry without its page; both are taken as new.
  func initialiseIfUnused() throws(StorageError) {
    guard try isUnused() else { return }
    let pageByteCount = EncryptedLayout.pageByteCount
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: pageByteCount + PageEntry.byteCount, alignment: 16)
    defer { unsafe buffer.deallocate() }
    guard let page = buffer.baseAddress else { return }
    let address = unsafe page + pageByteCount
    try unsafe file.readWhole(PageEntry.byteCount, at: 0, into: address)
    let counter = unsafe PageEntry(at: address).current.nextCounter
    unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
    unsafe buffer.copyBytes(from: FileHeader.blank.bytes)
    try unsafe cipher.encrypt(page, number: 0, counter: counter)
    let stamp = unsafe PageStamp(counter: counter, code: cipher.code(of: page))
    unsafe PageEntry(current: stamp, previous: .none).store(to: address)
    try unsafe file.write(UnsafeRawBufferPointer(start: address, count: PageEntry.byteCount), at: 0)
    try file.sync()
    try unsafe file.write(
      UnsafeRawBufferPointer(start: page, count: pageByteCount),
      at: EncryptedLayout.position(ofPage: 0))
    try file.sync()
  }

  /// Whether the file begins as a plain database does.
  func isPlain() throws(StorageError) -> Bool {
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: FileHeader.byteCount, alignment: 8)
    defer { unsafe buffer.deallocate() }
    guard let address = buffer.baseAddress else { return false }
    try unsafe file.readWhole(buffer.count, at: 0, into: address)
    return unsafe holdsPlainHeader(UnsafeRawBufferPointer(buffer))
  }

  private func holdsPlainHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
    unsafe FileHeader(bytes) != nil
  }
}
