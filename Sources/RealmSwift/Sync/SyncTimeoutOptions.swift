// SPDX-License-Identifier: Apache-2.0

// The times of connections.

#if Sync
import RealmSyncProtocol

/// The times that sessions and connections wait, in milliseconds.
public final class SyncTimeoutOptions {
  /// How long opening a connection may take: name, connection, TLS and handshake.
  public var connectTimeout: UInt = 120_000
  /// How long a connection stays open after its last session has ended.
  public var connectionLingerTime: UInt = 30_000
  /// The time between messages that test whether the server is there.
  public var pingKeepalivePeriod: UInt = 60_000
  /// How long the answer to such a message may take.
  public var pongKeepaliveTimeout: UInt = 120_000
  /// After a shorter loss of the connection uploads do not wait for a download first.
  public var fastReconnectLimit: UInt = 60_000

  /// The usual times.
  public init() {}

  init(_ timeouts: SyncTimeouts) {
    connectTimeout = UInt(timeouts.connect)
    connectionLingerTime = UInt(timeouts.linger)
    pingKeepalivePeriod = UInt(timeouts.pingPeriod)
    pongKeepaliveTimeout = UInt(timeouts.pong)
    fastReconnectLimit = UInt(timeouts.fastReconnect)
  }

  /// The usual times, and others for those that are given.
  @available(*, deprecated, message: "Set the properties of SyncTimeoutOptions() instead.")
  public convenience init(
    connectTimeout: UInt? = nil, connectionLingerTime: UInt? = nil,
    pingKeepalivePeriod: UInt? = nil, pongKeepaliveTimeout: UInt? = nil,
    fastReconnectLimit: UInt? = nil
  ) {
    self.init()
    if let connectTimeout { self.connectTimeout = connectTimeout }
    if let connectionLingerTime { self.connectionLingerTime = connectionLingerTime }
    if let pingKeepalivePeriod { self.pingKeepalivePeriod = pingKeepalivePeriod }
    if let pongKeepaliveTimeout { self.pongKeepaliveTimeout = pongKeepaliveTimeout }
    if let fastReconnectLimit { self.fastReconnectLimit = fastReconnectLimit }
  }

  var timeouts: SyncTimeouts {
    var timeouts = SyncTimeouts()
    timeouts.connect = Milliseconds(connectTimeout)
    timeouts.linger = Milliseconds(connectionLingerTime)
    timeouts.pingPeriod = Milliseconds(max(1_000, pingKeepalivePeriod))
    timeouts.pong = Milliseconds(pongKeepaliveTimeout)
    timeouts.fastReconnect = Milliseconds(fastReconnectLimit)
    return timeouts
  }
}
#endif
