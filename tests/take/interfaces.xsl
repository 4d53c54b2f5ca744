<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Prints each port map of an IP-XACT component whose port is missing, has another direction than the bus says,
     or another width than its part of the logical port. `buses` is the folder of the abstraction definitions. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
  xmlns:ipxact="http://www.accellera.org/XMLSchema/IPXACT/1685-2014">
  <xsl:output method="text"/>
  <xsl:param name="buses"/>
  <xsl:variable name="ports" select="/ipxact:component/ipxact:model/ipxact:ports/ipxact:port"/>
  <xsl:template match="/">
    <xsl:for-each select="//ipxact:portMap">
      <xsl:variable name="port" select="$ports[ipxact:name = current()/ipxact:physicalPort/ipxact:name]"/>
      <xsl:variable name="range" select="ipxact:logicalPort/ipxact:range"/>
      <xsl:variable name="wire" select="document(concat($buses, '/', ../../ipxact:abstractionRef/@name, '.xml'))
        //ipxact:port[ipxact:logicalName = current()/ipxact:logicalPort/ipxact:name]/ipxact:wire"/>
      <xsl:variable name="direction" select="$wire/ipxact:onMaster[current()/ancestor::ipxact:busInterface/ipxact:master]/ipxact:direction
        | $wire/ipxact:onSlave[current()/ancestor::ipxact:busInterface/ipxact:slave]/ipxact:direction"/>
      <xsl:variable name="left">
        <xsl:if test="$range/ipxact:right != '0'"><xsl:value-of select="$range/ipxact:right"/>+</xsl:if>
        <xsl:value-of select="$port//ipxact:left"/>
        <xsl:if test="not($port//ipxact:left)">0</xsl:if>
      </xsl:variable>
      <xsl:if test="count($port) != 1 or count($direction) != 1 or not($port/ipxact:wire/ipxact:direction = $direction)
        or ($range and $range/ipxact:left != $left)">
        <xsl:value-of select="concat(ancestor::ipxact:busInterface/ipxact:name, ': ', ipxact:physicalPort/ipxact:name, '&#10;')"/>
      </xsl:if>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
