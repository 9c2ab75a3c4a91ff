// SPDX-License-Identifier: Apache-2.0

// News of the machine's network: a new link, address or route.

#if Sync
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

#if canImport(Network)
import Network
#endif

/// Notifies observers of a change of the network, so that they try again at once.
///
/// Several changes within a second are one: an address comes with its routes.
package final class NetworkWatcher: Sendable {
  /// The watcher of the machine, created with its first observer.
  package static let shared = NetworkWatcher()

  private struct State {
    var observers: [@Sendable () -> Void] = []
    var isWatching = false
    var isDue = false
  }

  private let delay: TimeAmount
  private let state = NIOLockedValueBox(State())

  /// - Parameter delayMilliseconds: The time in which changes are collected.
  package init(delayMilliseconds: Int64 = 1_000) { delay = .milliseconds(delayMilliseconds) }

  /// Adds an observer for the life of the watcher, and watches the machine.
  package func observe(_ observer: @escaping @Sendable () -> Void) {
    add(observer)
    let isFirst = state.withLockedValue { state in
      defer { state.isWatching = true }
      return !state.isWatching
    }
    if isFirst { watchMachine() }
  }

  /// Adds an observer.
  package func add(_ observer: @escaping @Sendable () -> Void) {
    state.withLockedValue { $0.observers.append(observer) }
  }

  private func watchMachine() {
    #if canImport(Network)
    Task { [weak self] in
      for await path in NWPathMonitor() where path.status == .satisfied { self?.networkChanged() }
    }
    #elseif os(Linux)
    // Without the socket, as in a sandbox, clients try again by their schedule alone.
    if let descriptor = NetlinkSocket.open() { watch(descriptor) }
    #endif
  }

  /// Reads a socket with one change a message. Takes the descriptor over.
  package func watch(_ descriptor: CInt) {
    NIOPipeBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ChangeHandler(self))
        }
      }
      .takingOwnershipOfDescriptor(input: descriptor)
      .whenFailure { _ in
        // It is closed; see above.
      }
  }

  /// Tells the observers after the delay.
  fileprivate func networkChanged() {
    let isDue = state.withLockedValue { state in
      defer { state.isDue = true }
      return state.isDue
    }
    if isDue { return }
    MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: delay) { [weak self] in
      let observers = self?.state.withLockedValue { state in
        state.isDue = false
        return state.observers
      }
      for observer in observers ?? [] { observer() }
    }
  }
}

/// Takes each message for a change.
private final class ChangeHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let watcher: NetworkWatcher

  init(_ watcher: NetworkWatcher) { self.watcher = watcher }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { watcher.networkChanged() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // More changes than the kernel keeps: they are lost, and so is nothing.
    watcher.networkChanged()
  }
}
#endif
