// SPDX-License-Identifier: Apache-2.0

// Where a realm and everything read from it may be used.

import Dispatch

/// The one place that a realm may be used from.
enum Confinement {
  /// The thread with this thread pointer.
  case thread(UInt)
  /// The main queue and the main actor, on whatever thread they run.
  case main
  /// Whatever thread runs this serial queue.
  case queue(DispatchQueue)
  /// The executor of this actor.
  case actor(any Actor)
}

extension Confinement: Hashable {
  static func == (left: Confinement, right: Confinement) -> Bool {
    switch (left, right) {
    case (.thread(let left), .thread(let right)): left == right
    case (.main, .main): true
    case (.queue(let left), .queue(let right)): left === right
    case (.actor(let left), .actor(let right)): left === right
    default: false
    }
  }

  func hash(into hasher: inout Hasher) {
    switch self {
    case .thread(let pointer): hasher.combine(pointer)
    case .main: hasher.combine(0)
    case .queue(let queue): hasher.combine(ObjectIdentifier(queue))
    case .actor(let actor): hasher.combine(ObjectIdentifier(actor))
    }
  }
}
