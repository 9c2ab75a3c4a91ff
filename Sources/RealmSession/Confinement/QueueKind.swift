// SPDX-License-Identifier: Apache-2.0

// Distinguishes serial queues from concurrent ones. Dispatch has no function for it: on Apple's
// systems the class of the object says so, elsewhere its table of functions, one for each kind.

import Dispatch

/// The kinds of dispatch queues, by the names of their classes.
enum QueueKind: String {
  case serial = "OS_dispatch_queue_serial"
  case concurrent = "OS_dispatch_queue_concurrent"
  case global = "OS_dispatch_queue_global"

  init(of queue: DispatchQueue) {
    if queue.label.hasPrefix("com.apple.root.") {
      self = .global
    } else {
      self = Self.isConcurrent(queue) ? .concurrent : .serial
    }
  }

  #if canImport(Darwin)
  private static func isConcurrent(_ queue: DispatchQueue) -> Bool {
    "\(type(of: queue))".hasPrefix(QueueKind.concurrent.rawValue)
  }
  #else
  private static func isConcurrent(_ queue: DispatchQueue) -> Bool {
    guard let examples, let table = table(of: queue) else { return false }
    return table == examples.concurrent && table != examples.serial
  }

  /// The tables of a serial and of a concurrent queue; nil if they do not differ.
  private static let examples: (serial: UInt, concurrent: UInt)? = {
    guard let serial = table(of: DispatchQueue(label: "serial")),
      let concurrent = table(of: DispatchQueue(label: "concurrent", attributes: .concurrent)),
      serial != concurrent
    else { return nil }
    return (serial, concurrent)
  }()

  /// The first word of the queue's object: each object of Dispatch begins with its table.
  private static func table(of queue: DispatchQueue) -> UInt? {
    for child in Mirror(reflecting: queue).children {
      guard let object = unsafe child.value as? OpaquePointer else { continue }
      // The queue keeps its object, and is kept by the caller.
      return unsafe UnsafeRawPointer(object).load(as: UInt.self)
    }
    return nil
  }
  #endif
}
