<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- What an IP-XACT component says, as an empty SystemVerilog module: Verilator reads its expressions. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
  xmlns:ipxact="http://www.accellera.org/XMLSchema/IPXACT/1685-2014">
  <xsl:output method="text"/>
  <xsl:template match="/ipxact:component">
    <xsl:text>module </xsl:text><xsl:value-of select="ipxact:name"/><xsl:text> #(</xsl:text>
    <xsl:for-each select="ipxact:parameters/ipxact:parameter">
      <xsl:if test="position() > 1">,</xsl:if>
      <xsl:choose>
        <xsl:when test="@resolve = 'user'"> parameter</xsl:when>
        <xsl:otherwise> localparam</xsl:otherwise>
      </xsl:choose>
      <xsl:text> int </xsl:text><xsl:value-of select="@parameterId"/> = <xsl:value-of select="ipxact:value"/>
    </xsl:for-each>
    <xsl:text>) (</xsl:text>
    <xsl:for-each select="ipxact:model/ipxact:ports/ipxact:port">
      <xsl:if test="position() > 1">,</xsl:if>
      <xsl:text>
  </xsl:text><xsl:value-of select="ipxact:wire/ipxact:direction"/>
      <xsl:text>put logic </xsl:text>
      <xsl:for-each select="ipxact:wire/ipxact:vectors/ipxact:vector">
        <xsl:text>[</xsl:text><xsl:value-of select="ipxact:left"/>:<xsl:value-of select="ipxact:right"/>
        <xsl:text>] </xsl:text>
      </xsl:for-each>
      <xsl:value-of select="ipxact:name"/>
    </xsl:for-each>
    <xsl:text>);
endmodule
</xsl:text>
  </xsl:template>
</xsl:stylesheet>
