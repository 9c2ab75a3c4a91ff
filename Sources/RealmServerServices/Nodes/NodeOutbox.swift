// SPDX-License-Identifier: Apache-2.0

// The messages that wait for a connection between servers, and the frames that they become.
//
// A frame is its kind, then a message that fits in, or the number of a longer one and a part of it.
//
// Invariants:
// 1. Messages of one frame are sent in their order, and every other frame is of them while there
//    are some: a large message holds them up by one frame.
// 2. Of the larger messages no more than the limit are under way, each in turn; the others wait in
//    their order.
// 3. Of the heads of a session the newest one waits.

#if Server
import RealmServerEngine
import RealmSyncProtocol

/// What kind of frame it is.
enum NodeFrame: UInt8 {
  case message = 1
  case part
  case lastPart
}

/// Messages that wait to be sent.
struct NodeOutbox {
  private struct Parted {
    let number: UInt64
    let bytes: [UInt8]
    var position = 0
  }

  private let limits: NodeLimits
  private var short = WaitingList<[UInt8]>()
  private var parted = WaitingList<Parted>()
  /// The larger messages under way.
  private var current: [Parted] = []
  private var currentIndex = 0
  private var heads: [UInt64: SaltedVersion] = [:]
  private var headSessions = WaitingList<UInt64>()
  private var lastNumber: UInt64 = 0
  private var isShortNext = true
  /// The bytes that wait.
  private(set) var byteCount = 0

  init(_ limits: NodeLimits) { self.limits = limits }

  /// Adds a message.
  mutating func add(_ bytes: [UInt8]) {
    byteCount += bytes.count
    guard bytes.count > limits.frameByteCount else { return short.append(bytes) }
    lastNumber += 1
    let message = Parted(number: lastNumber, bytes: bytes)
    if current.count < limits.partedCount {
      current.append(message)
    } else {
      parted.append(message)
    }
  }

  /// Adds the news of a session, in place of older ones.
  mutating func add(_ head: SaltedVersion, of session: UInt64) {
    if heads.updateValue(head, forKey: session) == nil { headSessions.append(session) }
  }

  /// Takes the next frame.
  mutating func next() -> [UInt8]? {
    defer { isShortNext.toggle() }
    if isShortNext { return nextShort() ?? nextPart() }
    return nextPart() ?? nextShort()
  }

  private mutating func nextShort() -> [UInt8]? {
    if let bytes = short.takeFirst() {
      byteCount -= bytes.count
      return [NodeFrame.message.rawValue] + bytes
    }
    guard let session = headSessions.takeFirst(), let head = heads.removeValue(forKey: session)
    else { return nil }
    return [NodeFrame.message.rawValue] + NodeMessage.event(session: session, .head(head)).bytes
  }

  private mutating func nextPart() -> [UInt8]? {
    guard !current.isEmpty else { return nil }
    assert(current.count <= limits.partedCount, "`NodeOutbox` 2")
    currentIndex %= current.count
    let message = current[currentIndex]
    let end = min(message.position + limits.frameByteCount, message.bytes.count)
    let isLast = end == message.bytes.count
    var frame = PackedWriter()
    frame.append([(isLast ? NodeFrame.lastPart : .part).rawValue])
    frame.write(message.number)
    frame.append(Array(message.bytes[message.position..<end]))
    byteCount -= end - message.position
    if !isLast {
      current[currentIndex].position = end
      currentIndex += 1
    } else if let next = parted.takeFirst() {
      current[currentIndex] = next
      currentIndex += 1
    } else {
      current.remove(at: currentIndex)
    }
    return frame.bytes
  }
}

/// Values in the order of their arrival.
private struct WaitingList<Element> {
  private var elements: [Element?] = []
  private var first = 0

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func takeFirst() -> Element? {
    guard first < elements.count else { return nil }
    defer {
      elements[first] = nil
      first += 1
      if first == elements.count {
        elements.removeAll(keepingCapacity: first < 1_024)
        first = 0
      } else if first >= 1_024, first * 2 >= elements.count {
        elements.removeFirst(first)
        first = 0
      }
    }
    return elements[first]
  }
}

/// Makes messages of the frames of the other side.
struct NodeAssembler {
  private let limits: NodeLimits
  private var parts: [UInt64: [UInt8]] = [:]

  init(_ limits: NodeLimits) { self.limits = limits }

  /// The bytes of the messages whose last part has not come.
  var byteCount: Int { parts.values.reduce(0) { $0 + $1.count } }

  /// The message of a frame, or of the frames up to it; nil if parts of it are missing.
  mutating func add(_ frame: [UInt8]) throws(PackedBytesError) -> [UInt8]? {
    // The number of a part has ten bytes at most.
    guard frame.count <= limits.frameByteCount + 11 else {
      throw PackedBytesError("a frame of \(frame.count) bytes")
    }
    var reader = PackedReader(frame)
    let first = try reader.byte()
    guard let kind = NodeFrame(rawValue: first) else {
      throw PackedBytesError("there is no frame \(first)")
    }
    guard kind != .message else { return reader.rest() }
    let number = try reader.number()
    var bytes = parts.removeValue(forKey: number) ?? []
    bytes += reader.rest()
    guard bytes.count <= limits.messageByteCount else {
      throw PackedBytesError("a message of more than \(limits.messageByteCount) bytes")
    }
    if kind == .lastPart { return bytes }
    parts[number] = bytes
    guard parts.count <= limits.partedCount else {
      throw PackedBytesError("more than \(limits.partedCount) messages come in parts")
    }
    return nil
  }
}
#endif
