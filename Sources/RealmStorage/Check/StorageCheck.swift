// SPDX-License-Identifier: Apache-2.0

// The part of the integrity check that knows nodes and space, not tables (file format
// 5.1.1 to 5.1.3).

/// Checks the container, the nodes and the space of one version.
struct StorageCheck {
  /// Bytes that a node or free block takes.
  private struct Span {
    var start: Int
    var end: Int
    var isFree: Bool
  }

  let snapshot: Snapshot
  let top: TopArray
  private let physicalSize: Int
  private var findings: [CheckFinding] = []
  private var spans: [Span] = []
  private var checksums = ChecksumCounts()
  private let watch: WorkWatch

  private static let limit = 1000
  private static let maximumDepth = 512

  private init(
    _ snapshot: Snapshot, physicalSize: Int, _ watch: WorkWatch
  ) throws(StorageError) {
    self.watch = watch
    self.snapshot = snapshot
    self.physicalSize = physicalSize
    top = try snapshot.top()
  }

  /// The findings about a version, none if it is whole, and how many of its nodes have checksums.
  static func run(
    _ snapshot: Snapshot, physicalSize: Int, _ watch: WorkWatch
  ) -> (findings: [CheckFinding], checksums: ChecksumCounts) {
    guard !snapshot.topRef.isNull else { return ([], ChecksumCounts()) }
    do throws(StorageError) {
      var check = try StorageCheck(
        snapshot.withoutVerification(), physicalSize: physicalSize, watch)
      check.checkContainer()
      check.walk(snapshot.topRef)
      if !watch.isCancelled() { check.checkSpace() }
      return (check.findings, check.checksums)
    } catch {
      return ([CheckFinding(check: 3, reason(error))], ChecksumCounts())
    }
  }

  static func reason(_ error: StorageError) -> String {
    if case .corrupted(let reason) = error { reason } else { "\(error)" }
  }

  mutating func report(
    _ check: Int, _ severity: CheckFinding.Severity = .error, _ message: String, at ref: Ref? = nil
  ) {
    guard findings.count < Self.limit else { return }
    findings.append(
      CheckFinding(check: check, severity: severity, message, byteOffset: ref?.offset))
  }

  // MARK: Container

  private mutating func checkContainer() {
    if top.logicalSize > physicalSize {
      report(4, .error, "the logical size \(top.logicalSize) exceeds the file's \(physicalSize)")
    }
    if top.logicalSize != snapshot.space.fileEnd {
      report(4, .error, "the logical size \(top.logicalSize) is not that of the open version")
    }
    if top.version != snapshot.version {
      report(3, .error, "version \(snapshot.version) says that it is version \(top.version)")
    }
    guard (0...4).contains(top.historyType) else {
      return report(5, .error, "the history type \(top.historyType) is unknown")
    }
    switch top.historyType {
    case HistoryKind.inFile.type: checkHistorySchema(in: 0...1)
    case HistoryKind.syncClient.type: checkSyncHistory()
    default: return
    }
    do throws(StorageError) {
      let count = try History.count(top, in: snapshot.space)
      if UInt64(count) > top.version {
        report(5, .error, "there are \(count) changesets in version \(top.version)")
      }
    } catch {
      report(5, .error, Self.reason(error))
    }
  }

  mutating func checkHistorySchema(in known: ClosedRange<Int>) {
    if !known.contains(top.historySchemaVersion) {
      report(5, .error, "the history schema version \(top.historySchemaVersion) is unknown")
    }
  }

  // MARK: Nodes

  private mutating func walk(_ root: Ref) {
    var pending = [(ref: root, depth: 0)]
    // All nodes of a tree fit into the file side by side: a walk over twice as many bytes goes in
    // circles, or through large overlapping nodes.
    let whole = 2 * top.logicalSize
    var budget = whole
    while let (ref, depth) = pending.popLast() {
      if spans.count & 0x3FF == 0 {
        if watch.isCancelled() { return }
        watch.progress(min(1, Double(whole - budget) / Double(max(top.logicalSize, 1))))
      }
      guard budget >= 0, depth < Self.maximumDepth else {
        return report(7, .error, "the tree of nodes has a loop through \(ref.offset)", at: ref)
      }
      let node: Node
      do throws(StorageError) {
        node = try snapshot.space.node(at: ref)
      } catch {
        report(6, .error, Self.reason(error), at: ref)
        continue
      }
      let end = ref.offset + node.header.nodeByteCount
      budget -= node.header.nodeByteCount
      spans.append(Span(start: ref.offset, end: end, isFree: false))
      checkBytes(of: node, at: ref)
      guard checkHeader(node, at: ref) else { continue }
      let section = FreeSpace.sectionByteCount
      if ref.offset / section != (end - 1) / section {
        report(10, .warning, "the node at \(ref.offset) crosses a section boundary", at: ref)
      }
      // A node of zeros has no bytes, and any count.
      guard node.header.hasRefs, node.header.width > 0 else { continue }
      for index in 0..<node.count {
        let slot = node.uncheckedInteger(at: index)
        guard slot & 1 == 0, slot != 0 else { continue }
        pending.append((Ref(Int(slot)), depth + 1))
      }
    }
  }

  private mutating func checkBytes(of node: Node, at ref: Ref) {
    switch unsafe NodeChecksum.state(of: node.address, node.header, at: ref.offset) {
    case .missing: checksums.missing += 1
    case .matching: checksums.verified += 1
    case .different:
      report(
        Self.checksumCheck, .error, "the node at \(ref.offset) does not match its checksum",
        at: ref)
    }
  }

  /// The number of the test that compares checksums.
  static let checksumCheck = 38

  /// - Returns: Whether the slots of the node can be read.
  private mutating func checkHeader(_ node: Node, at ref: Ref) -> Bool {
    guard let layout = node.header.layout else {
      report(8, .error, "the node at \(ref.offset) has an unknown layout", at: ref)
      return false
    }
    if node.header.isInner, !node.header.hasRefs {
      report(8, .error, "the inner node at \(ref.offset) has no refs", at: ref)
    }
    if node.header.kind != NodeHeader.kind {
      report(8, .warning, "byte 3 of the node at \(ref.offset) is not 0x41", at: ref)
    }
    guard !node.header.hasRefs || layout == .bits else {
      report(8, .error, "the node at \(ref.offset) has refs and no integers", at: ref)
      return false
    }
    return true
  }

  // MARK: Space

  private mutating func checkSpace() {
    let space: FreeSpace
    do throws(StorageError) {
      space = try FreeSpace(top, in: snapshot.space)
    } catch {
      return report(12, .error, Self.reason(error))
    }
    for block in space.blocks {
      if block.tag > top.version {
        report(13, .error, "the free block at \(block.position) is of version \(block.tag)")
      }
      spans.append(Span(start: block.position, end: block.end, isFree: true))
    }
    spans.sort { $0.start < $1.start }
    var position = FileHeader.byteCount
    var lost = 0
    for span in spans {
      if span.start < position {
        let check = span.isFree ? 14 : 7
        report(check, .error, "the bytes at \(span.start) are used twice")
      }
      lost += max(0, span.start - position)
      position = max(position, span.end)
    }
    lost += max(0, top.logicalSize - position)
    // Streams list no free space, and need none.
    if lost > 0, top.slotCount > 3, !space.blocks.isEmpty {
      report(15, .warning, "\(lost) bytes are neither used nor free")
    }
  }
}

extension DatabaseFile {
  /// Checks the container, the nodes and the space of the newest version; what the tables hold is
  /// checked by the layer that knows tables.
  package func check() throws(StorageError) -> [CheckFinding] {
    try check(try snapshot())
  }

  /// Checks the container, the nodes and the space of one version.
  package func check(_ snapshot: Snapshot) throws(StorageError) -> [CheckFinding] {
    try checkNodes(snapshot).findings
  }

  /// `check(_:)`, and how many nodes have checksums.
  package func checkNodes(
    _ snapshot: Snapshot, _ watch: WorkWatch = WorkWatch()
  ) throws(StorageError) -> (findings: [CheckFinding], checksums: ChecksumCounts) {
    let pages = try encrypted?.findings(snapshot.topRef, in: snapshot.space) ?? []
    let (nodes, checksums) = StorageCheck.run(
      snapshot, physicalSize: try storage.byteCount(), watch)
    return (pages + nodes, checksums)
  }
}
